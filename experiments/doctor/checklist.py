"""What was checked, and how it came out: a list of sentences, each ok, a warning or a failure."""

from dataclasses import dataclass, field
from typing import Any, Literal

from rich.console import Console
from rich.text import Text

Status = Literal["ok", "warn", "fail"]
STYLES = {"ok": "green", "warn": "yellow", "fail": "bold red"}


@dataclass(frozen=True)
class Finding:
    about: str
    """What was checked, in a word or two; with the name of the model where there are several."""
    status: Status
    sentence: str


@dataclass
class Checklist:
    findings: list[Finding] = field(default_factory=list)
    prefix: str = ""
    """Stands before what a finding is about."""

    def of(self, name: str) -> "Checklist":
        """The same list, for findings about one of several models."""
        return Checklist(self.findings, f"{name} ")

    def ok(self, about: str, sentence: str) -> None:
        self._add(about, "ok", sentence)

    def warn(self, about: str, sentence: str) -> None:
        """What may go wrong, or cannot be told."""
        self._add(about, "warn", sentence)

    def fail(self, about: str, sentence: str) -> None:
        """What will go wrong."""
        self._add(about, "fail", sentence)

    def _add(self, about: str, status: Status, sentence: str) -> None:
        self.findings.append(Finding(f"{self.prefix}{about}", status, sentence))

    @property
    def failed(self) -> bool:
        return any(one.status == "fail" for one in self.findings)

    def data(self) -> dict[str, Any]:
        checks = [{"about": one.about, "status": one.status, "said": one.sentence} for one in self.findings]
        return {"ok": not self.failed, "checks": checks}

    def show(self, console: Console) -> None:
        width = max((len(one.about) for one in self.findings), default=0)
        for one in self.findings:
            mark = (f"{one.status:<4}", STYLES[one.status])
            console.print(Text.assemble(mark, f"  {one.about:<{width}}  {one.sentence}"), soft_wrap=True)
