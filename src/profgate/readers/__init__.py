"""Readers that convert profile files to Profile objects, with one module per format."""
