"""Tales: what people and signs say, what menus offer, and what happens afterwards.

`tell` starts the tale of a name; `choose` answers the menu that is open. Both are pure.
"""

from collections.abc import Callable

from msgspec.structs import replace

from bodies.practice.world import atlas
from bodies.practice.world.creatures import KINDS, grown, healed
from bodies.practice.world.scenes import (
    Cutscene,
    Dialog,
    Entry,
    Menu,
    Naming,
    Player,
    Walking,
)

CUTSCENE_FRAMES = 150
SALVES = {"salve-small": (10, 20), "salve-large": (40, 60)}
"""What each salve heals and what it costs."""

_YES_NO = (Entry("yes", "Yes"), Entry("no", "No"))
_SPEECHES: dict[str, tuple[str, ...]] = {
    "fennel": (
        "My knees say rain.\nMy knees have been wrong before.",
        "The study is the wide roof\nto the north-east.",
    ),
    "pip": ("I raced a heron once.\nIt did not know, so I won.",),
    "tansy": ("Heron Lane lies north of here.\nKeep out of the tall grass alone.",),
    "assistant": ("The scholar writes everything twice.\nI read it once.",),
    "walker": ("You can hop down a ledge.\nYou cannot hop up one.",),
    "lamplighter": ("Forty lamps, one ladder.\nI know every cat in Stonewick.",),
    "mason": ("A good wall is mostly patience.",),
    "ferrywoman": ("Out here the tide\nkeeps the only clock.",),
}


def spoken(pages: tuple[str, ...], frame: int, then: str | None = None) -> Dialog:
    """A dialog whose first page is printed at one frame a character."""
    return Dialog(pages, printed_at(pages[0], frame), then=then)


def printed_at(page: str, frame: int) -> int:
    return frame + max(12, len(page))


def tell(player: Player, tale: str, frame: int) -> Player:
    """The player as the named tale begins or goes on."""
    told = _TALES.get(tale)
    if told is not None:
        return told(player, frame)
    return replace(player, scene=spoken(_SPEECHES[tale], frame))


def choose(player: Player, menu: Menu, entry_id: str, frame: int) -> Player:
    """The player after choosing an entry of the open menu."""
    return _MENUS[menu.menu_id](player, menu, entry_id, frame)


def cancel(player: Player, menu: Menu, frame: int) -> Player:
    """The player after leaving the menu by B: as the last entry of every menu."""
    return choose(player, menu, menu.entries[-1].id, frame)


def _says(*pages: str, then: str | None = None) -> Callable[[Player, int], Player]:
    return lambda player, frame: replace(player, scene=spoken(pages, frame, then))


def _opens(menu_id: str, *entries: Entry) -> Callable[[Player, int], Player]:
    return lambda player, _frame: replace(player, scene=Menu(menu_id, entries))


def _walks(player: Player, frame: int = 0) -> Player:
    return replace(player, scene=Walking(frame))


def _asks_name(player: Player, _frame: int) -> Player:
    return replace(player, scene=Naming())


def _travels_home(player: Player, frame: int) -> Player:
    return replace(player, scene=Cutscene(frame + CUTSCENE_FRAMES, "wake"))


def _wakes(player: Player, frame: int) -> Player:
    flags = player.flags | {"named"}
    home = replace(player, flags=flags, spot=atlas.FIRST_TILE, facing="south")
    return _walks(home, frame)


def _aunt(player: Player, frame: int) -> Player:
    party = tuple(healed(creature) for creature in player.party)
    words = (
        "You look worn out.\nSit. Both of you. There."
        if party
        else "Scholar Quill asked for you.\nThe wide roof, north-east of here."
    )
    return replace(player, party=party, scene=spoken((words,), frame))


def _tansy_greets(player: Player, frame: int) -> Player:
    pages = (f"Wait, {player.name or 'you'}!", "North is Heron Lane.\nMind the grass.")
    flags = player.flags | {"greeted"}
    return replace(player, flags=flags, scene=spoken(pages, frame))


def _quill(player: Player, frame: int) -> Player:
    if "companion" in player.flags:
        pages = ("Write down where it sleeps.\nNobody ever writes that down.",)
        return replace(player, scene=spoken(pages, frame))
    pages = (
        f"Ah, {player.name}. Good.",
        "Three of them want company.\nOne of them is yours.",
    )
    return replace(player, scene=spoken(pages, frame, "offer"))


def _whistle(player: Player, frame: int) -> Player:
    return replace(player, scene=Cutscene(frame + CUTSCENE_FRAMES, "led-back"))


def _led_back(player: Player, frame: int) -> Player:
    pages = ("A whistle from the town gate!", "Not without a companion.\nThe study, first.")
    moved = replace(player, spot=atlas.ARRIVALS["vale"], facing="north")
    return replace(moved, scene=spoken(pages, frame))


_START_MENU = _opens(
    "start-menu",
    Entry("companions", "Companions"),
    Entry("bag", "Bag"),
    Entry("back", "Back"),
)
_COUNTER = _opens("shop-counter", Entry("buy", "Buy"), Entry("leave", "Leave"))
_SHELF = _opens(
    "shop-buy",
    Entry("salve-small", "Salve"),
    Entry("salve-large", "Salve"),
    Entry("back", "Back"),
)
_OFFER = _opens(
    "first-companion",
    *(Entry(str(number), KINDS[number].name) for number in (101, 102, 103)),
    Entry("later", "Later"),
)
_TALES: dict[str, Callable[[Player, int], Player]] = {
    "intro": _says(
        "Good morning.\nThe road has been expecting you.",
        "Before it starts:\nwhat should people call you?",
        then="ask-name",
    ),
    "ask-name": _asks_name,
    "travel-home": _travels_home,
    "wake": _wakes,
    "aunt": _aunt,
    "tansy-greets": _tansy_greets,
    "quill": _quill,
    "offer": _OFFER,
    "whistle": _whistle,
    "led-back": _led_back,
    "shopkeeper": _says("Salve for scrapes,\nsalve for worse.", then="counter"),
    "counter": _COUNTER,
    "start-menu": _START_MENU,
    "passer-by": _says("Oh! Sorry.\nI took you for somebody else."),
}


def name_settled(player: Player, name: str) -> Player:
    """The player whose name is entered and is asked whether it is right."""
    named = replace(player, name=name)
    return replace(named, scene=Menu("name-confirmation", _YES_NO))


def _confirm_name(player: Player, _menu: Menu, entry: str, frame: int) -> Player:
    if entry == "no":
        return _asks_name(player, frame)
    pages = (f"{player.name}, then.\nThe road it is.",)
    return replace(player, scene=spoken(pages, frame, "travel-home"))


def _pick_companion(player: Player, menu: Menu, entry: str, _frame: int) -> Player:
    if entry == "later":
        return _walks(player)
    return replace(player, scene=Menu("companion-confirmation", _YES_NO, about=entry))


def _confirm_companion(player: Player, menu: Menu, entry: str, frame: int) -> Player:
    if entry == "no":
        return _OFFER(player, frame)
    companion = grown(int(menu.about), 5)
    pages = (f"{companion.kind.name} comes to you.", "It has decided already.\nSo have you.")
    flags = player.flags | {"companion"}
    return replace(player, party=(companion,), flags=flags, scene=spoken(pages, frame))


def _at_counter(player: Player, _menu: Menu, entry: str, frame: int) -> Player:
    return _SHELF(player, frame) if entry == "buy" else _walks(player)


def _at_shelf(player: Player, _menu: Menu, entry: str, frame: int) -> Player:
    if entry == "back":
        return _COUNTER(player, frame)
    return replace(player, scene=Menu("shop-confirmation", _YES_NO, about=entry))


def _confirm_purchase(player: Player, menu: Menu, entry: str, frame: int) -> Player:
    if entry == "no":
        return _SHELF(player, frame)
    _, price = SALVES[menu.about]
    if player.coins < price:
        return replace(player, scene=spoken(("That is more than you have.",), frame))
    paid = replace(player, coins=player.coins - price, bag=(*player.bag, menu.about))
    return replace(paid, scene=spoken((f"{price} coins. Thank you.",), frame))


def _in_start_menu(player: Player, _menu: Menu, entry: str, frame: int) -> Player:
    if entry == "companions":
        lines = tuple(f"{c.kind.name}, level {c.level}: {c.hp}/{c.max_hp}" for c in player.party)
        return replace(player, scene=spoken(("\n".join(lines) or "Nobody yet.",), frame))
    if entry == "bag":
        held = f"{len(player.bag)} salves, {player.coins} coins."
        return replace(player, scene=spoken((held,), frame))
    return _walks(player)


_MENUS: dict[str, Callable[[Player, Menu, str, int], Player]] = {
    "name-confirmation": _confirm_name,
    "first-companion": _pick_companion,
    "companion-confirmation": _confirm_companion,
    "shop-counter": _at_counter,
    "shop-buy": _at_shelf,
    "shop-confirmation": _confirm_purchase,
    "start-menu": _in_start_menu,
}
