"""The GitHub Action: it reads its inputs and the event, and writes the report, pages, comment, summary and outputs."""
