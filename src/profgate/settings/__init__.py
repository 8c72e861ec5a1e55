"""Schemas of the action inputs and of the configuration file."""
