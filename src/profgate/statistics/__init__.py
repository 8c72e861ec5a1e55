"""Statistical tests, corrections and quantiles for detection and verdicts."""
