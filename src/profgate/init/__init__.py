"""`profgate init`: recognises a project and writes its workflow and policy."""
