"""Whose change it is: cost that moved or was renamed, rows that are one story, and what a diff did to the sources."""
