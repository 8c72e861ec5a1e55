"""The container's entry point: from inputs and event to report, pages, comment, summary, outputs and exit code."""
