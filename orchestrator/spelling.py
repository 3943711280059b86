"""Names that people write: which known name a misspelt one is close to, and which are known."""

from collections.abc import Iterable
from difflib import get_close_matches


def known(value: object, names: Iterable[str], said: str = "known") -> str:
    """The second half of a message about an unknown name: `did you mean 'house'? Known: cac, house`.

    `said` introduces the list; without a similar name there is the list alone.
    """
    listed = list(dict.fromkeys(names))
    near = similar(str(value), listed)
    whole = f"{said}: {', '.join(listed) or 'none'}"
    return f"did you mean {near!r}? {whole[0].upper()}{whole[1:]}" if near else whole


def similar(value: str, names: Iterable[str]) -> str | None:
    """The name that was probably meant; `piers` stands for `partner:piers`, and `-` for `_`."""
    forms = {_plain(form): name for name in reversed(list(names)) for form in (name.rpartition(":")[2], name)}
    near = get_close_matches(_plain(value), [form for form in forms if form], n=1, cutoff=0.7)
    return forms[near[0]] if near else None


def _plain(name: str) -> str:
    return name.lower().replace("-", "_")
