"""Implementation of `profgate init`, which examines a repository and writes a workflow and a policy file."""
