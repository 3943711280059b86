"""The software that plays a run: the commit or the files of this program, Python, its numbers and the system."""

import json
import platform
import subprocess
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib.metadata import distribution, version
from pathlib import Path

from hanabi_orchestrator import orchestrator

NAME = "hanabi-orchestrator"
STATISTICS = ("numpy", "scipy")
"""The packages that compute intervals and tests."""
WAIT_S = 10


@cache
def software() -> Mapping[str, str]:
    """Return what runs now by name: `program` with its version, `commit` or `wheel`, `python`, `numpy`, `scipy`,
    `system`. It names no machine and no user."""
    return {
        "program": f"{NAME} {version(NAME)}",
        **_source(),
        "python": platform.python_version(),
        **{name: version(name) for name in STATISTICS},
        "system": platform.platform(),
    }


def _source() -> dict[str, str]:
    """Return the commit of a checkout, with `-dirty` where files differ from it; of an installed package the commit
    that it was built from, or the SHA-256 of the list of its files; nothing where neither is known."""
    root = Path(orchestrator.__file__).resolve().parents[1]
    if (root / ".git").exists():
        return {"commit": commit} if (commit := _commit(root)) else {}
    installed = distribution(NAME)
    origin = json.loads(installed.read_text("direct_url.json") or "{}")
    if built_from := origin.get("vcs_info", {}).get("commit_id"):
        return {"commit": built_from}
    files = installed.read_text("RECORD")
    if files is None or origin.get("dir_info", {}).get("editable"):
        return {}
    return {"wheel": sha256(files.encode()).hexdigest()}


def _commit(root: Path) -> str | None:
    """Return the commit of a checkout; None where git cannot say."""
    command = [
        "git",
        "-C",
        str(root),
        "describe",
        "--always",
        "--dirty",
        "--abbrev=40",
        "--exclude",
        "*",
    ]
    try:
        answer = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=WAIT_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.stdout.strip() or None
