"""What the pull request changed in the sources and what that reaches."""
