"""Changes and noise in, findings and a verdict out."""
