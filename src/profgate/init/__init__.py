"""Detection of a project's setup, and creation of its workflow and policy, for `profgate init`."""
