"""Files, processes, git and compiled kernels."""
