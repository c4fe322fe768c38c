from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel.proposals import Proposals


@given(st.lists(st.sampled_from(["message", "change"])), st.integers(0, 2))
def test_k6_k8_messages_and_changes_count_apart_and_never_make_more_than_five_proposals(
    causes: list[str], fresh: int
) -> None:
    proposals, made = Proposals(fresh_after_change=fresh), 1
    for cause in causes:
        if cause == "message" and proposals.message_may_replace:
            proposals, made = proposals.replaced_by_message(), made + 1
        if cause == "change" and proposals.change_may_replace:
            proposals, made = proposals.replaced_by_change(), made + 1
    assert made == proposals.preemptions + 1 <= 5
    assert proposals.by_message == min(2, causes.count("message"))
    assert proposals.by_change == min(fresh, causes.count("change"))


def test_what_is_used_up_cannot_be_used() -> None:
    spent = Proposals(0).replaced_by_message().replaced_by_message()
    with pytest.raises(ValueError, match="message"):
        spent.replaced_by_message()
    with pytest.raises(ValueError, match="change"):
        spent.replaced_by_change()
