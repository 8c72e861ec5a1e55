"""The schemas of action inputs and of the configuration file."""
