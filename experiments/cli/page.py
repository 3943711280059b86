"""`view`, and `export --to page`: the page on which people look at runs and games."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from experiments.cli import completion
from experiments.cli.shared_options import Budget, print_json

Opened = Annotated[
    Path,
    Argument(
        metavar="PATH",
        help="A run folder, a folder of journals, or one journal.",
        show_default=False,
        autocompletion=completion.run,
    ),
]


def view(
    path: Opened,
    port: Annotated[
        int | None,
        Option(min=0, max=65535, help="On 127.0.0.1; default 8642, or a free one where that is taken; 0: free."),
    ] = None,
    model: Annotated[
        list[str] | None, Option(help="A model that the page may ask, e.g. openai:NAME; repeatable.")
    ] = None,
    budget: Budget = None,
    browser: Annotated[bool, Option("--browser/--no-browser", help="Open a browser.")] = True,
) -> None:
    """Look at a run or at games in a browser.

    The page is on this machine alone. Ctrl-C ends it.
    """
    from experiments.document.terminal import console
    from experiments.page import server
    from experiments.page.library import Library
    from experiments.page.named_models import NamedModels
    from experiments.running.model_options import budget as limits

    library, models = Library.open(path), NamedModels.of(model or (), *limits(budget or ()))
    listener = server.listening(port)
    screen = console(err=True)

    def ready(where: str, seats: Sequence[str]) -> None:
        if port is None and not where.endswith(f":{server.DEFAULT_PORT}/"):
            screen.print(f"port {server.DEFAULT_PORT} is taken, so another one is used", markup=False)
        screen.print(f"{library.name} is at {where}{library.fragment}", markup=False, soft_wrap=True)
        for seat in seats:
            screen.print(f"a person's seat: {where}{seat}", markup=False, soft_wrap=True)
        screen.print("Ctrl-C ends this")

    server.serve(library, listener, ready=ready, browser=browser, models=models)


def write_page(path: Path, out: Path, games: Sequence[str], *, values: bool, as_json: bool) -> None:
    """Write a copy of the page that needs no software of ours: an HTML file, or a folder."""
    from experiments.document.terminal import console
    from experiments.page.bundle import Bundle
    from experiments.page.library import Library

    screen = console(err=True)

    def progress(id: str, done: int, total: int) -> None:
        if screen.is_terminal:
            screen.print(f"{done} of {total}: {id}", markup=False, end="\r" if done < total else "\n")

    page = Bundle(Library.open(path), games, values, progress)
    try:
        size = page.write(out)
    finally:
        page.api.close()
    if as_json:
        print_json({"out": str(out), "bytes": size})
        return
    screen.print(f"{out}  {size / 1e6:.1f} MB; it holds every card and every prompt of its games", markup=False)
