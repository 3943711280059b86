"""Cells of tables as other programs read them, and names, which become cells and folders.

Readers of CSV files guess what a column holds: pandas takes `NA` for a missing value, DuckDB `no` for a truth value, R
`1e5` for a number; spreadsheets take `MAR1` for a date, and what begins with `=` for a formula. Windows keeps some
names of files for devices.
"""

import re

from hanabi_orchestrator.orchestrator.errors import UserError, shortened

MISSING = (
    "na",
    "n/a",
    "nan",
    "null",
    "nil",
    "none",
    "nat",
    "<na>",
    "\\n",
    "#n/a",
    "#na",
    "#null!",
    "#name?",
    "#ref!",
    "#num!",
    "#value!",
    "#div/0!",
)
TRUTH = ("t", "f", "true", "false", "y", "n", "yes", "no", "on", "off")
FORMULA = "=+-@\t\r"
"""What a formula of a spreadsheet begins with."""
QUOTES = "'\"`"
DEFUSED = re.compile(rf"'*[{re.escape(FORMULA)}]")
"""The beginning of a text that gets an apostrophe, by which spreadsheets know it for a text."""
SIGNED = re.compile(r"[+-](\d+\.?\d*|\.\d+)(e[+-]?\d+)?")
"""A number as text."""
_SIGN = r"[+-]?"
_MONTH = (
    r"(jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?"
    r"|dec(ember)?)"
)
NUMBER = re.compile(
    rf"{_SIGN}(inf|infinity|nan|na)i?"
    rf"|{_SIGN}0[xbo][\da-f_.]*(p[+-]?\d+)?i?"
    rf"|{_SIGN}\d[\d_.,]*(e[+-]?\d*|d[+-]?\d+)?[ijl]?"
    rf"|{_SIGN}\.\d+(e[+-]?\d*|d[+-]?\d+)?[ijl]?"
    rf"|{_SIGN}[\d.]+[+-][\d.]+[ij]"
    r"|-?1\.?#(ind|qnan|inf)"
)
DATE = re.compile(
    r"epoch"
    rf"|(\d{{1,4}}[-/. ]?)?{_MONTH}[-/. ]?\d{{1,4}}"
    rf"|\d{{1,4}}[-/. ]?{_MONTH}"
    r"|\d{4}-?\d\d?-?\d\d?[t ][\d:.+-]+z?"
    r"|\d{1,2}(:\d\d){0,2} ?[ap]m"
)
DEVICES = frozenset(
    [
        "con",
        "prn",
        "aux",
        "nul",
        "conin$",
        "conout$",
        "clock$",
        *(f"{port}{number}" for port in ("com", "lpt") for number in "0123456789¹²³"),
    ]
)
"""Names that Windows keeps, with any extension."""


def check_name(name: str) -> None:
    """Raise UserError for a name that another program would read as something else, with the reason."""
    if reason := misread(name):
        raise UserError(f"{shortened(name)!r} cannot be a name: {reason}; choose another")


def misread(name: str) -> str | None:
    """Return why a name may not be read as it was written, as a clause; None for a good one."""
    plain = name.strip().casefold()
    if not plain:
        return "it is blank"
    if odd := next((character for character in name if not character.isprintable()), None):
        return f"it holds the invisible character U+{ord(odd):04X}"
    if name != name.strip():
        return "some programs drop the space at its start or end"
    if plain.endswith("."):
        return "Windows drops the dot at the end of a folder's name"
    if plain.split(".")[0].strip() in DEVICES:
        return "Windows keeps this name for a device"
    if kind := _kind(plain):
        return f"programs that read CSV files may take it for {kind}"
    return None


def _kind(name: str) -> str | None:
    """Return what a name in small letters may be taken for."""
    if name in MISSING:
        return "a missing value"
    if name in TRUTH:
        return "a truth value"
    if NUMBER.fullmatch(name):
        return "a number"
    if DATE.fullmatch(name):
        return "a date or a time"
    if not any(map(str.isalpha, name)):
        return "a number or a date, since it has no letter"
    if name[0] in QUOTES:
        return "the beginning of a quoted text"
    return "a formula" if name[0] in FORMULA else None


def defused(cell: object) -> object:
    """Return a cell that no spreadsheet takes for a formula: a text that begins like one has an apostrophe before it.
    Numbers, and texts of numbers, stay as they are."""
    if not isinstance(cell, str) or not DEFUSED.match(cell) or SIGNED.fullmatch(cell):
        return cell
    return f"'{cell}"


def restored(cell: str) -> str:
    """Return the text of a cell that may have been defused."""
    return cell[1:] if cell.startswith("'") and DEFUSED.match(cell) else cell
