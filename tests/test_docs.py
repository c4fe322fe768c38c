"""What the docs say of the code is what the code says."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon import lifecycle
from kernel import turn

DOCS = Path(__file__).parent.parent / "docs"


@pytest.mark.parametrize(
    ("page", "drawn"), [("turn", turn.diagram()), ("session-life", lifecycle.diagram())]
)
def test_a_diagram_shows_the_table_as_it_is(page: str, drawn: str) -> None:
    text = (DOCS / "explanation" / f"{page}.md").read_text()
    assert f"```mermaid\n{drawn}```\n" in text, "run script/diagrams"
