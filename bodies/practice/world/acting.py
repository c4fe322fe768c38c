"""Acting: how each action plays out over the world's frames.

`act` answers a refusal at once, or returns the action under way: a generator that yields how many
frames pass next and returns what was done. Whoever drives it advances the country by those frames,
on a clock or at once, so the same rules run in a test without time.
"""

from collections.abc import Generator
from typing import Literal

from bodies.practice.world import naming, paths
from bodies.practice.world.actions import (
    Action,
    AdvanceDialog,
    BlockedBecause,
    Bounds,
    ButtonPress,
    DialogNotOpen,
    Done,
    EnterText,
    EntryNotPresent,
    ExitUnsupported,
    FrameAdvance,
    Impassable,
    MenuNotOpen,
    NamingScreenNotOpen,
    NoPath,
    OutsideMap,
    OverBudget,
    Read,
    Refusal,
    ScriptHolding,
    Selected,
    SelectMenuEntry,
    StateUnavailable,
    Typed,
    Walked,
    WalkTo,
)
from bodies.practice.world.country import Country
from bodies.practice.world.pad import BUTTON_TOWARD, DIRECTION_OF, Button
from bodies.practice.world.places import BORDER, Direction, Spot
from bodies.practice.world.scenes import Battle, Boot, Cutscene, Dialog, Menu, Naming, Walking

MAX_INPUTS = 64
MAX_FRAMES = 1800
STEP_FRAMES = 16
RELEASE_FRAMES = 32
"""After a raw press the button is up for this long."""
TAP_FRAMES = 8
PRESS_FRAMES = TAP_FRAMES + 12
"""One press of an action that presses by itself."""
_REPLANS = 3

UnderWay = Generator[int, None, Done]


def act(country: Country, player_id: str, action: Action) -> Refusal | UnderWay:
    """The refusal, or the action to drive. Nothing has happened yet either way."""
    match action:
        case ButtonPress():
            return _press(country, player_id, action)
        case FrameAdvance(frames):
            return OverBudget(frames, MAX_FRAMES) if frames > MAX_FRAMES else _wait(frames)
        case WalkTo():
            return _walk_to(country, player_id, action)
        case AdvanceDialog():
            return _advance_dialog(country, player_id)
        case EnterText():
            return _enter_text(country, player_id, action)
        case SelectMenuEntry():
            return _select_menu_entry(country, player_id, action)


def _wait(frames: int) -> UnderWay:
    yield frames
    return Done(0, frames)


def _press(country: Country, player_id: str, action: ButtonPress) -> Refusal | UnderWay:
    frames = action.repeat * (action.hold_frames + RELEASE_FRAMES)
    if frames > MAX_FRAMES:
        return OverBudget(frames, MAX_FRAMES)
    return _pressing(country, player_id, action, frames)


def _pressing(country: Country, player_id: str, action: ButtonPress, frames: int) -> UnderWay:
    for _ in range(action.repeat):
        held = action.hold_frames
        country.press(player_id, action.button, held)
        while held >= 2 * STEP_FRAMES and _keeps_walking(country, player_id, action.button):
            yield STEP_FRAMES
            held -= STEP_FRAMES
            country.press(player_id, action.button, STEP_FRAMES)
        yield held + RELEASE_FRAMES
    return Done(action.repeat, frames)


def _keeps_walking(country: Country, player_id: str, button: Button) -> bool:
    return button in DIRECTION_OF and isinstance(country.player(player_id).scene, Walking)


def _walk_to(country: Country, player_id: str, action: WalkTo) -> Refusal | UnderWay:
    player = country.player(player_id)
    match player.scene:
        case Boot():
            return StateUnavailable()
        case Walking(ready_at) if country.frame >= ready_at:
            pass
        case _:
            return ScriptHolding()
    place = country.place(player)
    target = Spot(player.spot.map_id, action.x, action.y)
    if not place.contains(target.x, target.y):
        end_x, end_y = BORDER + place.width - 1, BORDER + place.height - 1
        return OutsideMap(Bounds(BORDER, BORDER, end_x, end_y))
    taken = country.around(player).taken
    if target in taken or not place.is_open(target.x, target.y):
        return Impassable(paths.nearest_open(place, target, taken))
    if place.tile(target.x, target.y) == "v":
        return Impassable(paths.nearest_open(place, target, taken))
    warp = place.warp_at(target)
    if warp is not None and not warp.by_stepping:
        return ExitUnsupported(target, warp.to.map_id)
    steps = paths.plan(place, player.spot, target, taken)
    if steps is None:
        return NoPath(paths.nearest_reachable(place, player.spot, target, taken))
    if len(steps) > MAX_INPUTS:
        return OverBudget(len(steps), MAX_INPUTS)
    return _walking(country, player_id, target, steps)


def _walking(
    country: Country, player_id: str, target: Spot, steps: tuple[Direction, ...]
) -> UnderWay:
    planned, walked, frames, replans = len(steps), 0, 0, 0
    blocked_at: Spot | None = None
    because: BlockedBecause | None = None
    warped = False
    while steps:
        before = country.player(player_id)
        ahead = before.spot.toward(steps[0])
        after = country.press(player_id, BUTTON_TOWARD[steps[0]], STEP_FRAMES)
        if after.spot == before.spot and isinstance(after.scene, Walking):
            replans += 1
            if replans > _REPLANS:
                blocked_at, because = ahead, "npc"
                break
            taken = country.around(after).taken
            again = paths.plan(country.place(after), after.spot, target, taken)
            steps = again or steps
            frames += STEP_FRAMES
            yield STEP_FRAMES
        else:
            walked += 1
            steps = steps[1:]
            frames += STEP_FRAMES
            yield STEP_FRAMES
        now = country.player(player_id)
        if now.spot.map_id != target.map_id and isinstance(now.scene, Walking):
            warped = not steps
            if not warped:
                blocked_at, because = ahead, "transition"
            wait = max(0, now.scene.ready_at - country.frame)
            if wait:
                frames += wait
                yield wait
            break
        if not isinstance(now.scene, Walking):
            blocked_at, because = ahead, _interruption(now.scene)
            break
    arrived = warped or country.player(player_id).spot == target
    if because is None:
        return Done(walked, frames, Walked(target, planned, walked, arrived, None, warped))
    detail = Walked(target, planned, walked, arrived, blocked_at, warped, because)
    return Done(walked, frames, detail)


def _interruption(scene: object) -> BlockedBecause:
    if isinstance(scene, Battle):
        return "battle"
    return "transition" if isinstance(scene, Boot | Cutscene) else "state_changed"


def _advance_dialog(country: Country, player_id: str) -> Refusal | UnderWay:
    match country.player(player_id).scene:
        case Boot():
            return StateUnavailable()
        case Cutscene():
            return ScriptHolding()
        case Dialog() | Battle(menu=None):
            return _reading(country, player_id)
        case _:
            return DialogNotOpen()


def _reading(country: Country, player_id: str) -> UnderWay:
    transcript: list[str] = []
    presses, frames = 0, 0
    ended: str | None = None
    while ended is None:
        scene = country.player(player_id).scene
        if not isinstance(scene, Dialog | Battle) or (
            isinstance(scene, Battle) and scene.menu is not None
        ):
            ended = _reading_ended(scene, in_battle=isinstance(scene, Battle))
            break
        wait = max(0, scene.printed_at - country.frame)
        if frames + wait + PRESS_FRAMES > MAX_FRAMES:
            ended = "frame_bound_reached"
            break
        if wait:
            frames += wait
            yield wait
            continue
        transcript.append(scene.pages[scene.page])
        was_over = isinstance(scene, Battle) and scene.over
        country.press(player_id, "a", TAP_FRAMES)
        presses += 1
        frames += PRESS_FRAMES
        yield PRESS_FRAMES
        if was_over and isinstance(country.player(player_id).scene, Walking):
            ended = "battle_ended"
    return Done(presses, frames, Read(tuple(transcript), presses, ended))


def _reading_ended(scene: object, *, in_battle: bool) -> str:
    if in_battle or isinstance(scene, Menu):
        return "choice_open"
    if isinstance(scene, Walking):
        return "dialog_closed"
    return "script_holding" if isinstance(scene, Cutscene) else "state_changed"


def _enter_text(country: Country, player_id: str, action: EnterText) -> Refusal | UnderWay:
    scene = country.player(player_id).scene
    if isinstance(scene, Boot):
        return StateUnavailable()
    if not isinstance(scene, Naming):
        return NamingScreenNotOpen()
    presses = naming.presses_for(scene, action.text)
    if action.confirm:
        presses.append("start")
    if len(presses) > MAX_INPUTS:
        return OverBudget(len(presses), MAX_INPUTS)
    return _typing(country, player_id, presses)


def _typing(country: Country, player_id: str, presses: list[Button]) -> UnderWay:
    spent, typed = 0, ""
    while spent < len(presses):
        scene = country.player(player_id).scene
        if not isinstance(scene, Naming):
            break
        typed = scene.typed
        country.press(player_id, presses[spent], TAP_FRAMES)
        spent += 1
        yield PRESS_FRAMES
    scene = country.player(player_id).scene
    if isinstance(scene, Naming):
        detail = Typed(scene.typed, False, spent, "typed")
    else:
        confirmed = spent == len(presses) and presses[-1] == "start"
        detail = Typed(typed, confirmed, spent, "confirmed" if confirmed else "state_changed")
    return Done(spent, spent * PRESS_FRAMES, detail)


def _select_menu_entry(
    country: Country, player_id: str, action: SelectMenuEntry
) -> Refusal | UnderWay:
    match country.player(player_id).scene:
        case Boot():
            return StateUnavailable()
        case Menu() as menu:
            pass
        case Battle(menu=Menu() as menu):
            pass
        case _:
            return MenuNotOpen()
    if all(entry.id != action.entry for entry in menu.entries):
        return EntryNotPresent(menu.entries)
    return _selecting(country, player_id, menu, action.entry)


def _selecting(country: Country, player_id: str, menu: Menu, wanted: str) -> UnderWay:
    index = next(i for i, entry in enumerate(menu.entries) if entry.id == wanted)
    distance = index - menu.cursor
    scroll: Button = "down" if distance > 0 else "up"
    presses = 0
    ended: Literal["selected", "state_changed"] = "selected"
    buttons: list[Button] = [scroll] * abs(distance)
    buttons.append("a")
    for button in buttons:
        if _open_menu_id(country, player_id) != menu.menu_id:
            ended = "state_changed"
            break
        country.press(player_id, button, TAP_FRAMES)
        presses += 1
        yield PRESS_FRAMES
    entry = menu.entries[index]
    detail = Selected(menu.menu_id, entry.id, entry.label, ended == "selected", presses, ended)
    return Done(presses, presses * PRESS_FRAMES, detail)


def _open_menu_id(country: Country, player_id: str) -> str | None:
    match country.player(player_id).scene:
        case Menu(menu_id) | Battle(menu=Menu(menu_id)):
            return menu_id
        case _:
            return None
