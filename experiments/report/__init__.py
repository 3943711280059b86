"""The report of a run: its page, its tables, its figures."""
