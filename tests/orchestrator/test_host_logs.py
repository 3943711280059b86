"""Importing the package and playing a game leave the host program's structlog as it is."""

import subprocess
import sys

HOST = """
import structlog
before = structlog.get_config()
from hanabi_orchestrator import graphs, play
from hanabi_orchestrator.orchestrator.logs import log
play(graphs.seat("watson"), players=2, seed=1, max_turns=1)
assert not structlog.is_configured() and structlog.get_config() == before
structlog.get_logger().info("of the host")
log.info("of ours, recovered from")
log.warning("of ours")
structlog.configure(processors=[structlog.processors.JSONRenderer()])
log.info("by the host's rules", game=1)
"""


def test_a_hosts_logs_stay_its_own() -> None:
    done = subprocess.run([sys.executable, "-c", HOST], capture_output=True, text=True, check=True)
    assert "of the host" in done.stdout and "of ours" not in done.stdout
    assert "of ours" in done.stderr and "recovered" not in done.stderr
    assert '"event": "by the host\'s rules"' in done.stdout
