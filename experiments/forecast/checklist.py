"""What was checked, and how it came out: a list of sentences, each ok, a warning or a failure."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal

from rich.console import Console
from rich.table import Table
from rich.text import Text

from hanabi_orchestrator.roles.words import many

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
        """Return the same list, for findings about one of several models."""
        return Checklist(self.findings, f"{name} ")

    def ok(self, about: str, sentence: str) -> None:
        self.findings.append(Finding(f"{self.prefix}{about}", "ok", sentence))

    def warn(self, about: str, sentence: str) -> None:
        """Return what may go wrong, or cannot be told."""
        self.findings.append(Finding(f"{self.prefix}{about}", "warn", sentence))

    def fail(self, about: str, sentence: str) -> None:
        """Return what will go wrong."""
        self.findings.append(Finding(f"{self.prefix}{about}", "fail", sentence))

    @property
    def failed(self) -> bool:
        return any(item.status == "fail" for item in self.findings)

    def short(self, *abouts: str) -> list[Finding]:
        """Return the findings about these, and of the others what is not well, else one that all
        is."""
        findings = [item for item in self.findings if item.about in abouts or item.status != "ok"]
        fine = (
            "Python, the engine, disk and open files are as they should be; `doctor` alone lists "
            "them"
        )
        if self.failed:
            return findings
        return [*findings, Finding("machine", "ok", fine)]

    def data(self) -> dict[str, Any]:
        checks = []
        for item in self.findings:
            checks.append({"about": item.about, "status": item.status, "said": item.sentence})
        return {"ok": not self.failed, "checks": checks}

    def show(self, console: Console, step: str | None = None) -> None:
        """Return a line each, the tally, and the next step where nothing failed."""
        table = Table.grid(padding=(0, 2), pad_edge=False)
        for name in ("status", "about"):
            table.add_column(name, no_wrap=True)
        for item in self.findings:
            table.add_row(Text(item.status, STYLES[item.status]), item.about, Text(item.sentence))
        console.print(table)
        counts = Counter(item.status for item in self.findings)
        parts = [f"{counts['ok']} ok"]
        parts += [many(counts["warn"], "warning")] if counts["warn"] else []
        parts += [f"{counts['fail']} failed; mend the lines that say so"] if counts["fail"] else []
        console.print(Text(", ".join(parts), "bold"))
        if step and not self.failed:
            console.print(Text(f"next  {step}"), soft_wrap=True)
