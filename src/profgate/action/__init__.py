"""The GitHub Action, which reads inputs and event, and writes report, pages, comment, summary and outputs."""
