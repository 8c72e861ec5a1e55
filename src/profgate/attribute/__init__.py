"""Whose change it is: cost that moved or was renamed, and which rows are one story."""
