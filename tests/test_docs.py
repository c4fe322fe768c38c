"""What the docs say of the code is what the code says."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from config.loading import load_settings
from daemon import lifecycle
from kernel import turn
from kernel.body import Body

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = {str(page.relative_to(ROOT)): page for page in [*DOCS.rglob("*.md"), ROOT / "README.md"]}
SOURCES = [
    path
    for folder in ("config", "kernel", "daemon", "bodies", "tests")
    for path in (ROOT / folder).rglob("*.py")
]
GENERATED = [page.name for page in (DOCS / "reference").glob("*.md")]
BASE = """\
[models.practice]
provider = "openai"
model = "practice"
base_url = "http://127.0.0.1:8471/v1"
local = true

[models.claude]
provider = "anthropic"
model = "claude-sonnet-4-5"

[seats.red]
body = "pokemon"
model = "practice"
address = "ws://127.0.0.1:8470"
game = "firered"
display_name = "Red"

[seats.alex]
body = "minecraft"
model = "practice"
motor = ["playd-practice", "motor"]

[seats.alex.profile]
id = "garden"
host = "127.0.0.1"
version = "1.20.1"
username = "Alex"

[rooms.parlour]
kind = "control"
"""
"""What an example that shows a part of a configuration leaves out."""


@pytest.mark.parametrize(
    ("page", "drawn"), [("turn", turn.diagram()), ("session-life", lifecycle.diagram())]
)
def test_a_diagram_shows_the_table_as_it_is(page: str, drawn: str) -> None:
    text = (DOCS / "explanation" / f"{page}.md").read_text()
    assert f"```mermaid\n{drawn}```\n" in text, "run script/diagrams"


def test_the_reference_says_what_the_code_says(tmp_path: Path) -> None:
    for name in GENERATED:
        shutil.copy(DOCS / "reference" / name, tmp_path)
    subprocess.run([ROOT / "script/reference", tmp_path], check=True)
    for name in GENERATED:
        page = (DOCS / "reference" / name).read_text()
        assert (tmp_path / name).read_text() == page, "run script/reference"


@pytest.mark.parametrize("name", PAGES)
def test_a_link_leads_somewhere(name: str) -> None:
    page = PAGES[name]
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        path, _, heading = target.partition("#")
        if ":" in path:
            continue
        linked = page.parent / path if path else page
        assert linked.exists(), f"{target} is not there"
        assert not heading or heading in _anchors(linked), f"{target} has no such heading"


def test_the_index_names_every_page() -> None:
    index = (DOCS / "README.md").read_text()
    linked = {(DOCS / target).resolve() for target in re.findall(r"\]\(([^)#]+\.md)\)", index)}
    assert {page for page in DOCS.rglob("*.md") if page.name != "README.md"} <= linked


@pytest.mark.parametrize("name", PAGES)
def test_an_example_of_a_configuration_loads(name: str, tmp_path: Path) -> None:
    for example in re.findall(r"```toml\n(.*?)```", PAGES[name].read_text(), re.DOTALL):
        path = tmp_path / "playd.toml"
        path.write_text(_completed(example))
        load_settings(path)


def test_every_rule_that_the_code_names_is_told() -> None:
    told = set(re.findall(r"^### (K\d+a?)$", (DOCS / "reference/rules.md").read_text(), re.M))
    named = {rule for path in SOURCES for rule in re.findall(r"\bK\d+a?\b", path.read_text())}
    assert named <= told


def test_the_guide_for_bodies_shows_the_corridor_and_the_whole_seam() -> None:
    guide = (DOCS / "extend/body.md").read_text()
    corridor = {line.strip() for line in (ROOT / "tests/toys/toy_body.py").read_text().splitlines()}
    for example in re.findall(r"```python\n(.*?)```", guide, re.DOTALL):
        assert set(example.splitlines()) <= corridor
    calls = {name for name in vars(Body) if not name.startswith("_")}
    assert calls - set(re.findall(r"`(\w+)\(", guide)) == set()


@pytest.mark.parametrize("name", ["security.md", "reference/rules.md", "extend/body.md"])
def test_every_test_that_a_page_names_exists(name: str) -> None:
    named = set(re.findall(r"`(test_\w+)`", (DOCS / name).read_text()))
    there_are = {
        test
        for path in SOURCES
        for test in re.findall(r"^(?:async )?def (test_\w+)", path.read_text(), re.M)
    }
    assert named
    assert named <= there_are


def _anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def _completed(example: str) -> str:
    """The example with every table and key of the base that it leaves out."""
    for table in BASE.split("\n\n"):
        header, *settings = table.strip().splitlines()
        if header not in example.splitlines():
            example += f"\n{table.strip()}\n"
            continue
        before, _, after = example.partition(f"{header}\n")
        own = {line.split(" = ")[0] for line in after.split("\n[")[0].splitlines()}
        more = [setting for setting in settings if setting.split(" = ")[0] not in own]
        example = "\n".join([before, header, *more, after])
    return example
