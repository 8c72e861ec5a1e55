"""Detection of a project's setup, and writing of its workflow and policy, for `profgate init`."""
