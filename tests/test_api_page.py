"""docs/api.md names what each package exports, no more and no less."""

import ast
import re
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from tests.support.folders import ROOT
from tests.support.imports import ONE_NAME

PAGE = (ROOT / "docs" / "api.md").read_text("utf-8")
PACKAGES = ("orchestrator", "roles", "graphs", "experiments")


WITHIN = ("experiments.tasks", "experiments.tasks.probes", "experiments.document")
"""Packages of public names within another."""


def listed(package: str) -> list[str]:
    """The names in a package's table, or in the row of one within another."""
    if package in WITHIN:
        (row,) = re.findall(rf"^\| `{package}` \|(.*)$", PAGE, re.M)
        return re.findall(r"`(\w+)`", row)
    _, _, after = PAGE.partition(f"\n## {package}\n")
    part = re.split(r"^## |^Packages of public", after, maxsplit=1, flags=re.M)[0]
    return re.findall(r"`(\w+)`", part)


@pytest.mark.parametrize("package", (*PACKAGES, *WITHIN))
def test_the_page_lists_the_names_that_a_package_exports(package: str) -> None:
    assert sorted(listed(package)) == sorted(
        import_module(f"hanabi_orchestrator.{package}").__all__
    )


@pytest.mark.parametrize("package", (*PACKAGES, *WITHIN))
def test_every_listed_name_can_be_imported(package: str) -> None:
    module = import_module(f"hanabi_orchestrator.{package}")
    assert [name for name in listed(package) if not hasattr(module, name)] == []


SHOWN = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/*.md"))


@pytest.mark.parametrize("page", ["README.md", *SHOWN, "docs/notebook.py"])
def test_what_is_shown_to_users_imports_public_names_alone(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    blocks = [text] if page.endswith(".py") else re.findall(r"```python.*?\n(.*?)```", text, re.S)
    private = []
    for block in blocks:
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(ONE_NAME):
                public = public_names(str(node.module))
                private += [alias.name for alias in node.names if alias.name not in public]
    assert private == []


def public_names(module: str) -> list[str]:
    """The public names of a package, by its dotted name; none of a module that users should not import from."""
    within = module.removeprefix(ONE_NAME).removeprefix(".")
    if not within:
        return dir(import_module(ONE_NAME))
    return list(import_module(module).__all__) if within in (*PACKAGES, *WITHIN) else []


@pytest.mark.parametrize("package", (*PACKAGES, *WITHIN))
def test_no_public_name_is_that_of_a_module_beside_it(package: str) -> None:
    """Importing such a module would put it in the place of what users take the name for."""
    module = import_module(f"hanabi_orchestrator.{package}")
    folder = ROOT.joinpath(*package.split("."))
    beside = {path.stem for path in folder.iterdir() if path.suffix == ".py" or path.is_dir()}
    names = beside & set(module.__all__)
    assert {name for name in names if not isinstance(getattr(module, name), ModuleType)} == set()


@pytest.mark.parametrize("stub", sorted(ROOT.glob("[egor]*/**/__init__.pyi")), ids=str)
def test_a_face_takes_a_module_from_a_package_that_loads_it(stub: Path) -> None:
    """Otherwise the name is there only once somebody else has imported the module."""
    for node in ast.walk(ast.parse(stub.read_text("utf-8"))):
        if not isinstance(node, ast.ImportFrom) or not node.module:
            continue
        folder = stub.parent.joinpath(*node.module.split("."))
        modules = {alias.name for alias in node.names if (folder / f"{alias.name}.py").exists()}
        if modules:
            home = ".".join((ONE_NAME, *folder.relative_to(ROOT).parts))
            assert modules <= set(import_module(home).__all__), home
