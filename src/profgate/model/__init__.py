"""Plain frozen data that every room shares."""
