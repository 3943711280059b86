from hanabi_orchestrator import experiments as experiments
from hanabi_orchestrator import graphs as graphs
from hanabi_orchestrator import orchestrator as orchestrator
from hanabi_orchestrator import prompts as prompts
from hanabi_orchestrator import roles as roles
from hanabi_orchestrator.orchestrator import *  # noqa: F403

PACKAGES: tuple[str, ...]
