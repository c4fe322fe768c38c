from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from browser import CHROMIUM, browsing
from foreign_journals import write_minecraft
from hypothesis import given
from hypothesis import strategies as st
from played_journal import png, write_journal

from bodies.minecraft.reading import MinecraftReading
from bodies.pokemon.reading import PokemonReading
from kernel.journal.evaluation.side_logs import LifecycleEvents, Receipts
from kernel.journal.report.page import as_data, report_page

HOSTILE = (
    '</script><img src="x" onerror="document.title=\'owned\'">',
    "<script>document.title='owned'</script>",
    "<svg/onload=alert(1)>",
    "javascript:document.title='owned'",
    "$data ${style} {{title}} <!-- <script",
    "\u202eback to front\x1b[31m",
    "\"'><b>bold</b>&amp;",
)
READING = PokemonReading()

in_a_browser = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium is installed: the page was not opened"
)


@pytest.fixture
def hostile_page(tmp_path: Path) -> Path:
    return written(tmp_path, write_journal(tmp_path, 40, texts=HOSTILE))


@pytest.fixture
def long_page(tmp_path: Path) -> Path:
    return written(tmp_path, write_journal(tmp_path, 60))


@pytest.fixture
def wide_page(tmp_path: Path) -> Path:
    return written(tmp_path, write_journal(tmp_path, 12, texts=("W" * 300,)))


def written(directory: Path, journal: Path) -> Path:
    page = directory / "run.html"
    page.write_text(page_of(journal), encoding="utf-8")
    return page


def page_of(path: Path) -> str:
    return report_page(path, lambda _: READING, LifecycleEvents(), Receipts())


class _Elements(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = [("", {})]
        self.texts: dict[str, str] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        tag, attributes = self.found[-1]
        key = attributes.get("id") or tag
        self.texts[key] = self.texts.get(key, "") + data


@given(st.text())
def test_any_text_is_data_and_never_markup(text: str) -> None:
    told = as_data({"text": text})
    assert not set("<>&\u2028\u2029") & set(told)
    assert json.loads(told) == {"text": text}


def test_the_page_holds_everything_and_names_nothing_outside(tmp_path: Path) -> None:
    page = page_of(write_journal(tmp_path, 20, texts=HOSTILE))
    elements = _Elements(page)
    tags = [tag for tag, _ in elements.found]
    assert tags.count("script") == 2
    assert not {"img", "link", "iframe", "object", "b", "svg"} & set(tags)
    for _, attributes in elements.found:
        assert not {"src", "onerror", "onload", "style"} & set(attributes)
        assert attributes.get("href") in (None, "#turns")
    document = json.loads(elements.texts["data"])
    assert document["player"]["persona"] == HOSTILE[0]
    assert len(document["turns"]) == 20


def test_the_policy_lets_only_the_pages_own_script_and_style_run(tmp_path: Path) -> None:
    page = page_of(write_journal(tmp_path, 1))
    elements = _Elements(page)
    (policy,) = (
        html.unescape(attributes["content"] or "")
        for tag, attributes in elements.found
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    rules = dict(rule.strip().partition(" ")[::2] for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["img-src"] == "data:"
    assert "unsafe" not in policy
    for rule, tag in (("script-src", "script"), ("style-src", "style")):
        (body,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert rules[rule] == f"'sha256-{digest}'"


def test_the_script_makes_text_and_never_markup() -> None:
    folder = Path(__file__).parents[4] / "kernel" / "journal" / "report"
    script = "".join(part.read_text() for part in folder.glob("*.js"))
    assert "textContent" in script
    for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert way not in script


def test_a_picture_is_inlined_when_it_is_the_one_that_was_taken(tmp_path: Path) -> None:
    path = write_journal(tmp_path, 10)
    kept, changed = sorted((tmp_path / ".screenshots" / path.stem).glob("turn-*.png"))[:2]
    changed.write_bytes(png(200))
    (tmp_path / "secret.png").write_bytes(png(1))
    turns = json.loads(_Elements(page_of(path)).texts["data"])["turns"]
    inlined = base64.b64encode(kept.read_bytes()).decode()
    assert turns[0]["picture"] == f"data:image/png;base64,{inlined}"
    assert turns[8]["picture"] is None
    assert "digest" in turns[8]["pictureProblem"]


def test_a_path_that_leaves_the_folder_is_not_followed(tmp_path: Path) -> None:
    path = write_journal(tmp_path, 1)
    outside = png(7)
    (tmp_path.parent / "outside.png").write_bytes(outside)
    content = path.read_text()
    name = f".screenshots/{path.stem}/turn-000000.png"
    path.write_text(content.replace(name, "../outside.png"))
    (turn,) = json.loads(_Elements(page_of(path)).texts["data"])["turns"]
    assert turn["picture"] is None
    assert "not in this journal's own folder" in turn["pictureProblem"]


def test_the_maps_hold_what_was_seen_and_where_the_player_went(tmp_path: Path) -> None:
    document = json.loads(_Elements(page_of(write_journal(tmp_path, 80))).texts["data"])
    meadow = document["maps"][0]
    assert meadow["name"] == "meadow"
    assert {"#", "."} <= set("".join(meadow["rows"])) <= set("#.D ")
    assert len({len(row) for row in meadow["rows"]}) == 1
    for index, x, y in meadow["path"]:
        assert 0 <= index < 80
        assert meadow["rows"][y - meadow["y"]][x - meadow["x"]] in ".D"
    tiles = [turn["tiles"] for turn in document["turns"]]
    assert tiles == sorted(tiles)
    assert tiles[-1] > 1


def test_a_tile_that_is_absurdly_far_is_left_out(tmp_path: Path) -> None:
    path = write_journal(tmp_path, 3)
    path.write_text(
        path.read_text().replace('"topLeft":{"x":5,', '"topLeft":{"x":9007199254740990,')
    )
    maps = json.loads(_Elements(page_of(path)).texts["data"])["maps"]
    assert all(len(row) <= 513 for one in maps for row in one["rows"])


@in_a_browser
async def test_the_page_opens_from_a_file_and_no_text_of_the_run_comes_alive(
    hostile_page: Path, tmp_path: Path
) -> None:
    async with browsing(tmp_path / "profile", 1280, 900) as page:
        await page.open(hostile_page.as_uri())
        assert await page.value("document.title") == "Run run-1"
        assert await page.value("document.querySelectorAll('.row').length") == 40
        assert await page.value("document.querySelectorAll('body b b, main script').length") == 0
        images = "[...document.images].filter((image) => !image.src.startsWith('data:')).length"
        assert await page.value(images) == 0
        persona = await page.value("document.querySelector('.persona').textContent")
        assert persona == f"Persona: {HOSTILE[0]}"
        assert "\u202e" not in await page.value("document.body.innerText")
        for number in range(40):
            await page.value(f"choose({number}, false)")
        assert await page.value("document.title") == "Run run-1"
        assert [url for url in page.requests if not url.startswith("data:")] == [
            hostile_page.as_uri()
        ]
        assert page.complaints == []


@in_a_browser
async def test_where_effects_are_proved_the_head_tells_how_many_and_no_tiles(
    tmp_path: Path,
) -> None:
    journal, page_file = write_minecraft(tmp_path / "m.jsonl"), tmp_path / "run.html"
    reading = MinecraftReading()
    page_file.write_text(report_page(journal, lambda _: reading, LifecycleEvents(), Receipts()))
    async with browsing(tmp_path / "profile", 1280, 900) as page:
        await page.open(page_file.as_uri())
        facts = await page.value("document.querySelector('.facts').innerText")
        assert "1 actions; 1 refuted, 0 unknown" in facts
        assert "DONE" not in facts.upper().split()
        assert "Effects" in await page.value("document.getElementById('verdicts').innerText")
        assert "Tiles" not in await page.value("document.getElementById('charts').innerText")
        assert page.complaints == []


@in_a_browser
async def test_turns_are_searched_filtered_and_walked_with_the_keyboard(
    long_page: Path, tmp_path: Path
) -> None:
    shown = "rows.filter((row) => row.offsetHeight > 0).length"
    heading = "document.querySelector('.turn-head h3').textContent"
    async with browsing(tmp_path / "profile", 1280, 900) as page:
        await page.open(f"{long_page.as_uri()}#turn-8")
        assert await page.value(heading) == "Turn 8"
        assert await page.value("document.querySelector('#inspector img').naturalWidth") == 240
        signs = "[...document.querySelectorAll('#maps .legend span')].map((one) => one.innerText)"
        assert "the chosen turn" in await page.value(signs)
        await page.press("j")
        assert await page.value(heading) == "Turn 9"
        assert await page.value("location.hash") == "#turn-9"
        await page.press("k")
        assert await page.value(heading) == "Turn 8"
        await page.value("document.getElementById('list').focus()")
        await page.press("End")
        assert await page.value(heading) == "Turn 59"
        box = "document.getElementById('list').getBoundingClientRect()"
        assert await page.value(f"rows[59].getBoundingClientRect().bottom <= {box}.bottom + 1")
        await page.press("Home")
        assert await page.value(heading) == "Turn 0"

        await page.press("/")
        assert await page.value("document.activeElement.id") == "search"
        for letter in "walk":
            await page.press(letter)
        wanted = await page.value(
            "turns.filter((turn, index) => haystacks[index].includes('walk')).length"
        )
        assert 0 < wanted < 60
        assert await page.value(shown) == wanted
        assert await page.value("document.getElementById('found').textContent") == (
            f"{wanted} of 60 turns"
        )
        await page.value("search.value = ''; kind.value = 'walk_to'; filter()")
        assert await page.value(shown) == await page.value(
            "turns.filter((turn) => turn.kind === 'walk_to').length"
        )
        await page.value("kind.value = ''; document.querySelector('.chip.good').click()")
        assert await page.value(shown) == await page.value(
            "turns.filter((turn) => turn.outcome !== 'accepted').length"
        )
        assert page.complaints == []


@in_a_browser
async def test_on_a_phone_nothing_is_wider_than_the_screen_and_a_turn_opens_over_the_list(
    wide_page: Path, tmp_path: Path
) -> None:
    async with browsing(tmp_path / "profile", 500, 900) as page:
        await page.open(wide_page.as_uri())
        wide = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        assert await page.value(wide)
        inspector = "getComputedStyle(document.getElementById('inspector')).display"
        assert await page.value(inspector) == "none"
        await page.value("rows[3].click()")
        assert await page.value(inspector) == "block"
        await page.press("Escape")
        assert await page.value(inspector) == "none"
