"""A small shop: reads orders, prices them, finds what was ordered twice, and prints the day's report."""
