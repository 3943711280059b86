"""What an experiment costs before it is played, and which sample size a budget buys or an effect needs.

Start reading at dry_run.py (`--dry-run`) and
sample_size.py (`experiment plan`); both get their cost estimates from cost_estimate.py.
"""
