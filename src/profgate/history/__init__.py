"""What earlier runs and versions said."""
