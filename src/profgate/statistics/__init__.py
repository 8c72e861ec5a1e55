"""Statistical tests and models that are used to detect and judge changes."""
