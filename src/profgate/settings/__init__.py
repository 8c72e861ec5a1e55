"""Schemas of the inputs of the action and of the configuration file."""
