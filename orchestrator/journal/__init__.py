"""The journal: the events of a game, their file, and what is read back from it.

It may import `hanabi`, `models` and `replies`. Start with `events` (what happens in a game), then `file` (the format,
its writer and its reader), `resume` (going on with a game) and `recorded_answers` (replay).
"""

from orchestrator.journal.file import Journal as Journal
from orchestrator.journal.file import comparable as comparable
from orchestrator.journal.file import plain as plain
from orchestrator.journal.file import read as read
