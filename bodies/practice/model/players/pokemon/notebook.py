"""The notebook: what was done on each map, kept as plain sentences in the player's notes.

    On hearthside: talked to 1,3; looked at 16.15; took 20.13,north; stood on 11.14,16.16.

The map that was visited last stands last. What somebody else wrote into the notes is kept in front
as long as there is room.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

LONGEST = 800
FOREIGN = 200
KEPT: dict[str, int] = {
    "talked to": 12,
    "looked at": 8,
    "took": 8,
    "stood on": 8,
    "no way to": 6,
}
"""The labels of a sentence, and how many items each keeps; the oldest goes first."""
_SENTENCE = re.compile(r"On (?P<map>\S.{0,79}): (?P<parts>[^:]*)\.")
_PART = re.compile(rf"(?P<label>{'|'.join(KEPT)}) (?P<items>\S+)")


@dataclass(frozen=True, slots=True)
class Page:
    """One map: items by label, the latest last."""

    items: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    def under(self, label: str) -> tuple[str, ...]:
        return self.items.get(label, ())

    def with_item(self, label: str, item: str) -> Page:
        kept = (*(old for old in self.under(label) if old != item), item)
        return Page({**self.items, label: kept[-KEPT[label] :]})

    def tiles(self, label: str) -> tuple[tuple[int, int], ...]:
        """The items that are tiles."""
        pairs = (item.split(".") for item in self.under(label) if item.count(".") == 1)
        return tuple((int(x), int(y)) for x, y in pairs if x.isdigit() and y.isdigit())


@dataclass(frozen=True, slots=True)
class Notebook:
    pages: dict[str, Page] = field(default_factory=dict[str, Page])
    foreign: str = ""

    def on(self, map_id: str) -> Page:
        return self.pages.get(map_id, Page())

    def noted(self, map_id: str, label: str, item: str) -> Notebook:
        """With one more item; this map is now the latest."""
        if _SENTENCE.fullmatch(f"On {map_id}: {label} {item}.") is None:
            return self  # no sentence could be read back
        pages = {name: page for name, page in self.pages.items() if name != map_id}
        return replace(self, pages={**pages, map_id: self.on(map_id).with_item(label, item)})

    def written(self) -> str:
        """As notes; the maps not visited for longest are left out when it grows too long."""
        sentences: list[str] = []
        room = LONGEST
        for map_id, page in reversed(self.pages.items()):
            parts = "; ".join(f"{label} {','.join(page.items[label])}" for label in page.items)
            sentence = f"On {map_id}: {parts}."
            if len(sentence) + 1 > room:
                break
            room -= len(sentence) + 1
            sentences.append(sentence)
        foreign = [self.foreign] if self.foreign and len(self.foreign) < room else []
        return "\n".join((*foreign, *reversed(sentences)))


def read_notebook(notes: str | None) -> Notebook:
    """What notes say; sentences that are not of this kind are kept as they are."""
    pages: dict[str, Page] = {}
    foreign: list[str] = []
    for line in (notes or "").split("\n"):
        sentence = _SENTENCE.fullmatch(line)
        if sentence is None:
            foreign.append(line)
            continue
        pages[sentence["map"]] = Page(
            {
                part["label"]: tuple(part["items"].removesuffix(";").split(","))
                for part in _PART.finditer(sentence["parts"])
            }
        )
    return Notebook(pages, "\n".join(foreign).strip()[:FOREIGN])


def tile_item(tile: tuple[int, int]) -> str:
    return f"{tile[0]}.{tile[1]}"
