"""Where the repository and the tests' own data lie."""

from pathlib import Path

TESTS = Path(__file__).parent.parent
ROOT = TESTS.parent
