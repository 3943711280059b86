"""How much the proofs try: reduced in `make test`, in full in `make prove`."""

import os

FULL = os.environ.get("PROVE") == "full"
