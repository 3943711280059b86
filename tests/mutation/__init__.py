"""A mutation run over the core: small changes of the code, each of which some test must notice.

`python -m tests.mutation` makes them, runs the tests that `core.yaml` maps to each file, and prints what no test
noticed. Start reading in `mutants`: what is changed; `trials` runs the tests on a changed copy of the repository.
"""
