"""What earlier runs said."""
