"""What finished games, positions and marks say: comparisons, summaries, controls, caveats and
conclusions in sentences.

Numbers without a subject are in statistics/. Start reading at compare.py, which compares any two
samples, and analysis.py, which does so for the arms of an experiment.
"""

from hanabi_orchestrator.orchestrator import spare_memory

spare_memory.require()
