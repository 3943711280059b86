import experiments as experiments
import graphs as graphs
import orchestrator as orchestrator
import prompts as prompts
import roles as roles
from orchestrator import *  # noqa: F403
