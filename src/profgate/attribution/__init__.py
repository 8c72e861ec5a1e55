"""Attribution: which functions a pull request changed, and which other functions these changes can affect."""
