"""Before a run: its cost, the sample size that a budget buys or an effect needs, and whether a
model can play a graph.

Start reading at dry_run.py (`--dry-run`) and sample_size.py (`experiment plan`), which get their
cost estimates from cost_estimate.py, and at examination.py (`doctor`), which makes a `Checklist` of
what can be told without a request and, with --online, by a few requests (online.py).
"""
