"""`python -m experiments`: the command line.

Python puts the working directory first on the path; a user's folder may have a `roles` or `prompts` of its own, so
it goes last here.
"""

import sys

sys.path.append(sys.path.pop(0))

from experiments.cli import main

main()
