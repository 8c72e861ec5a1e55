"""The GitHub Action: reads the inputs and the event, and writes the report, pages, comment, summary and outputs."""
