"""The journal of a game."""

from orchestrator.journal.file import Journal as Journal
from orchestrator.journal.file import comparable as comparable
from orchestrator.journal.file import plain as plain
from orchestrator.journal.file import read as read
