"""What slips cost a player who models its partners."""

import pytest

from benchmarks import slips
from hanabi_orchestrator.orchestrator.errors import UserError


def test_differences_are_paired_by_deal() -> None:
    assert slips.paired([20, 22, 24], [19, 20, 21]) == "+2.00 (-0.48 to +4.48)"


def test_a_revision_that_a_shallow_clone_lacks_is_named() -> None:
    with pytest.raises(UserError, match="revision 0000000 is not in this clone"):
        slips.judges("0000000")
