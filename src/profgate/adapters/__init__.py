"""The only rooms that touch disk, network and environment."""
