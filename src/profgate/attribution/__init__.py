"""Attribution: which functions the pull request changed, and which other functions these changes can affect."""
