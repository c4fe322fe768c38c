"""Battle: meeting a wild creature in tall grass. Text, a command menu, text, until it is over."""

from msgspec.structs import replace

from bodies.practice.world.atlas import BED_SIDE
from bodies.practice.world.chance import roll
from bodies.practice.world.creatures import MOVES, Creature, grown, healed
from bodies.practice.world.scenes import Battle, Entry, Menu, Player, Walking
from bodies.practice.world.tales import SALVES, printed_at, spoken

_COMMANDS = Menu(
    "battle-command",
    (Entry("fight", "Fight"), Entry("bag", "Bag"), Entry("run", "Run")),
)


def meet(player: Player, species_id: int, level: int, frame: int) -> Player:
    """The player as a wild creature appears."""
    foe = grown(species_id, level)
    pages = (f"A wild {foe.kind.name} looks up!", f"Go, {player.party[0].kind.name}!")
    return replace(player, scene=Battle(foe, pages, printed_at(pages[0], frame)))


def read_on(player: Player, battle: Battle, frame: int) -> Player:
    """After a page was read: the next page, the command menu, or the field again."""
    if battle.page + 1 < len(battle.pages):
        page = battle.page + 1
        until = printed_at(battle.pages[page], frame)
        return replace(player, scene=replace(battle, page=page, printed_at=until))
    if not battle.over:
        return replace(player, scene=replace(battle, menu=_COMMANDS))
    if player.party[0].hp > 0:
        return replace(player, scene=Walking(frame))
    rested = tuple(healed(creature) for creature in player.party)
    home = replace(player, party=rested, spot=BED_SIDE, facing="south")
    return replace(home, scene=spoken(("Aunt Bramble carried you in.\nBoth of you.",), frame))


def command(player: Player, battle: Battle, entry: str, frame: int, seed: int) -> Player:
    """The player after choosing an entry of the battle's open menu."""
    if battle.menu is not None and battle.menu.menu_id == "battle-moves":
        if entry == "back":
            return replace(player, scene=replace(battle, menu=_COMMANDS))
        return _strike(player, battle, int(entry.removeprefix("move-")), frame, seed)
    if entry == "fight":
        moves = tuple(
            Entry(f"move-{move}", MOVES[move].name) for move in player.party[0].kind.moves
        )
        menu = Menu("battle-moves", (*moves, Entry("back", "Back")))
        return replace(player, scene=replace(battle, menu=menu))
    if entry == "bag":
        return _use_salve(player, battle, frame, seed)
    if roll(4, seed, "run", player.steps, battle.round) > 0:
        return _tell(player, battle, ("Got away.",), frame, over=True)
    return _answered(player, battle, ["No way out!"], frame, seed)


def back_out(player: Player, battle: Battle) -> Player:
    """B leaves the list of moves; the command menu stays."""
    return replace(player, scene=replace(battle, menu=_COMMANDS))


def _strike(player: Player, battle: Battle, move: int, frame: int, seed: int) -> Player:
    own = player.party[0]
    damage = _damage(own, move, seed, player.steps, battle.round, "own")
    foe = replace(battle.foe, hp=max(0, battle.foe.hp - damage))
    pages = [f"{own.kind.name} used {MOVES[move].name}."]
    battle = replace(battle, foe=foe)
    if foe.hp > 0:
        return _answered(player, battle, pages, frame, seed)
    pages.append(f"{foe.kind.name} slips away, beaten.")
    grown_up = _learn(own, foe.level * 4)
    if grown_up.level > own.level:
        pages.append(f"{own.kind.name} is now level {grown_up.level}.")
    paid = replace(player, party=(grown_up, *player.party[1:]), coins=player.coins + foe.level)
    return _tell(paid, battle, tuple(pages), frame, over=True)


def _use_salve(player: Player, battle: Battle, frame: int, seed: int) -> Player:
    if not player.bag:
        return _tell(player, battle, ("The bag is empty.",), frame)
    own = healed(player.party[0], SALVES[player.bag[0]][0])
    used = replace(player, party=(own, *player.party[1:]), bag=player.bag[1:])
    return _answered(used, battle, [f"{own.kind.name} feels better."], frame, seed)


def _answered(player: Player, battle: Battle, pages: list[str], frame: int, seed: int) -> Player:
    foe, own = battle.foe, player.party[0]
    move = foe.kind.moves[roll(len(foe.kind.moves), seed, "foe", player.steps, battle.round)]
    damage = _damage(foe, move, seed, player.steps, battle.round, "foe")
    own = replace(own, hp=max(0, own.hp - damage))
    pages.append(f"The wild {foe.kind.name} used {MOVES[move].name}.")
    if own.hp == 0:
        pages.append(f"{own.kind.name} cannot go on.")
    hurt = replace(player, party=(own, *player.party[1:]))
    return _tell(hurt, battle, tuple(pages), frame, over=own.hp == 0)


def _tell(
    player: Player, battle: Battle, pages: tuple[str, ...], frame: int, *, over: bool = False
) -> Player:
    scene = Battle(
        battle.foe,
        pages,
        printed_at(pages[0], frame),
        round=battle.round + 1,
        over=over,
    )
    return replace(player, scene=scene)


def _damage(creature: Creature, move: int, *words: object) -> int:
    power = MOVES[move].power
    return 0 if power == 0 else power + creature.level // 3 + roll(3, *words) - 1


def _learn(creature: Creature, points: int) -> Creature:
    spent = creature.spent + points
    level = creature.level
    while spent >= level * 6:
        spent -= level * 6
        level += 1
    gained = (level - creature.level) * 2
    return replace(
        creature,
        level=level,
        spent=spent,
        hp=creature.hp + gained,
        max_hp=creature.max_hp + gained,
    )
