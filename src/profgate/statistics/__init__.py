"""Tests, corrections and quantiles that detection and judgement share."""
