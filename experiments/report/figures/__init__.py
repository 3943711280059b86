"""The figures of a report, each a table and how it is drawn; matplotlib is imported when a figure
is drawn.

Start reading at figure.py (what a figure is) and calibration.py (a short one); a new figure is
added to the list in drawing.py.
"""
