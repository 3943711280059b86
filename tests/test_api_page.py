"""docs/api.md names what each package exports, no more and no less."""

import re
from importlib import import_module

import pytest

from tests.support.folders import ROOT

PAGE = (ROOT / "docs" / "api.md").read_text("utf-8")
PACKAGES = ("orchestrator", "roles", "graphs", "experiments")


def listed(package: str) -> list[str]:
    """The names in a package's table."""
    _, _, after = PAGE.partition(f"\n## {package}\n")
    part = re.split(r"^## ", after, maxsplit=1, flags=re.M)[0]
    return re.findall(r"`(\w+)`", part)


@pytest.mark.parametrize("package", PACKAGES)
def test_the_page_lists_the_names_that_a_package_exports(package: str) -> None:
    assert sorted(listed(package)) == sorted(
        import_module(f"hanabi_orchestrator.{package}").__all__
    )


@pytest.mark.parametrize("package", PACKAGES)
def test_every_listed_name_can_be_imported(package: str) -> None:
    module = import_module(f"hanabi_orchestrator.{package}")
    assert [name for name in listed(package) if not hasattr(module, name)] == []
