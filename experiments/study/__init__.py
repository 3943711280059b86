"""The design of an experiment: its file, its arms and player specs, its plan of games, and the
manifest run.yaml.

It plays nothing: LangGraph is imported only when a seat is built. Start reading at
experiment.py (the file), then arms.py and plan.py.
"""
