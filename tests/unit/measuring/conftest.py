from measured_repository import git

__all__ = ["git"]
