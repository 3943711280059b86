"""The roles of Collab Capture and Collab Escape: what they see of a position, their reply types and their programs.

`sections.py` is what a role sees, `partner_report.py` the reply of an interpreter, `capture.py` and `escape.py` the roles
of each game: interpreter, generator, verifier (LLM-Coordination, sections 3 and appendices C to E). The programs play
exactly, by the plans of `orchestrator.collab`, as far as the sections show the position. The folder imports
`orchestrator`, `prompts` and the files of `roles/`. Start reading with `capture.py`.

Importing the folder registers the roles.
"""

from hanabi_orchestrator.roles.collab import capture as capture
from hanabi_orchestrator.roles.collab import escape as escape
