"""The container's door: inputs and event in; report, pages, comment, summary, outputs and exit code out."""
