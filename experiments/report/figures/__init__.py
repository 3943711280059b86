"""The figures of a report, one kind a file."""
