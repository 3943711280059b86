"""The files that the browser gets: index.html, its styles and its modules."""

import base64
import hashlib
import json
import re
from importlib.resources import files

INDEX = "index.html"
_MAP = re.compile(r'(<script type="importmap">).*?(</script>)', re.DOTALL)
_INLINE = re.compile(r"<script(?![^>]*\ssrc=)[^>]*>(.*?)</script>", re.DOTALL)


def text(name: str) -> str:
    return files(__package__).joinpath("static", name).read_text("utf-8")


def names(suffix: str) -> list[str]:
    """Return the files with a suffix, by name."""
    return sorted(
        path.name
        for path in files(__package__).joinpath("static").iterdir()
        if path.name.endswith(suffix)
    )


def modules() -> dict[str, str]:
    """Return the file of each module by the name under which others import it: `page/board`."""
    return {f"page/{name.removesuffix('.js')}": name for name in names(".js")}


def index() -> str:
    """Return the page, with a map of all modules."""
    return mapped(text(INDEX), {bare: f"/static/{name}" for bare, name in modules().items()})


def mapped(page: str, imports: dict[str, str]) -> str:
    """Return the page with the import map filled in."""
    text = json.dumps({"imports": imports}, indent=1)
    return _MAP.sub(lambda match: f"{match[1]}{text}{match[2]}", page)


def script_hashes(page: str) -> list[str]:
    """Return the hashes of inline scripts, as a content security policy names them."""
    hashes = list[str]()
    for script in _INLINE.findall(page):
        hashes.append(
            f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
        )
    return hashes
