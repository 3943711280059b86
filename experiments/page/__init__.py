"""The page on which people look at runs and games: `view` serves it, `export --to page` writes a
copy.

Start reading at server.py (the addresses) and library.py (what lies in the opened folder); static/
is what the browser gets. docs/page.md is for users.
"""
