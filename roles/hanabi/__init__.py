"""The built-in roles, a file each, and what their programs share.

A role's file holds its program (a function under `@role`) and, where no other file needs it, its reply type; the
others are in files of their own: `analysis.py`, `beliefs.py`, `discard_report.py`, `history_report.py`,
`mind_report.py`. `sections/` is what a role sees of a position, `reasoning/` what the programs share, `marking/` how
replies are marked. `conformance_cases.py` has the positions on which a role is checked, `truth.py` the hidden facts that
marks compare replies with; `error_injection.py` puts errors of language models into a program's replies. The folder
imports `orchestrator`, `prompts` and the files of `roles/`. Start reading with `proposer.py` and `analyst.py`.

Importing the folder registers the roles, and the errors of simulated models.
"""

from importlib import import_module

ROLES = (
    "action_recommender",
    "aggregator",
    "analyst",
    "cac_interpreter",
    "discard_strategist",
    "first_order",
    "generator",
    "history_analyst",
    "plan_evaluator",
    "planner",
    "proposer",
    "safety",
    "second_order",
    "selector",
    "self_verifier",
    "sherlock",
    "state_judge",
    "tom_interpreter",
    "tracker",
    "watson",
)
"""The files that hold roles."""

for module in (*ROLES, "error_injection", "conformance_cases"):
    import_module(f"{__name__}.{module}")
