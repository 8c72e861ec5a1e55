"""Access to files, processes, git and compiled kernels."""
