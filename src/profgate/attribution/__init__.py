"""Attribution: which functions the pull request changed, and which other functions that can affect."""
