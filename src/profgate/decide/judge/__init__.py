"""Turn detected changes into findings and a verdict."""
