"""`models`: the file that describes models."""

from pathlib import Path
from typing import Annotated

import typer

from experiments.cli.shared_options import group
from orchestrator.errors import UserError

app = group("Describe models in a file.")


@app.callback()
def common() -> None:
    """Describe models in a file."""


@app.command("init")
def init(
    file: Annotated[Path, typer.Argument(help="The file to write; one that exists is never overwritten.")] = Path(
        "models.yaml"
    ),
) -> None:
    """Write a commented models file, with an example of every kind of model."""
    from rich.text import Text

    from experiments.show.terminal import console
    from orchestrator.models.settings import EXAMPLE

    if file.suffix not in (".yaml", ".yml"):
        raise UserError(f"a models file ends in .yaml, not {file.name!r}")
    try:
        with file.open("x", encoding="utf-8") as new:
            new.write(EXAMPLE.read_text("utf-8"))
    except FileExistsError:
        raise UserError(f"{file} exists already and is left as it is; name another file") from None
    except FileNotFoundError:
        raise UserError(f"cannot write {file}: there is no folder {file.parent}") from None
    console().print(Text(f"{file}\nnext  orchestrator doctor --model {file}"), soft_wrap=True)
