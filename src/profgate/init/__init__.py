"""`profgate init`: detects the setup of a project and writes its workflow and policy."""
