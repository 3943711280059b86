from .blocks import Block, Column, Heading, Note, Table, Text, table
from .formats import INT, NUMBER, PERCENT, RIGHT, TEXT, Format, estimate, number

__all__ = [
    "INT",
    "NUMBER",
    "PERCENT",
    "RIGHT",
    "TEXT",
    "Block",
    "Column",
    "Format",
    "Heading",
    "Note",
    "Table",
    "Text",
    "estimate",
    "number",
    "table",
]
