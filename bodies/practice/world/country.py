"""The country: the whole game at one frame, all players and people in it.

It holds no clock. Whoever owns it says which frame it is; people and scenes catch up when somebody
looks, so a country where nobody looks costs nothing.
"""

from collections.abc import Iterable
from typing import Literal, get_args

from msgspec.structs import replace

from bodies.practice.world import battle, buttons, people, tales
from bodies.practice.world.atlas import ARRIVALS, FIRST_TILE, PLACES
from bodies.practice.world.creatures import grown
from bodies.practice.world.field import Around
from bodies.practice.world.pad import Button
from bodies.practice.world.people import FRAMES_PER_THOUGHT, Person
from bodies.practice.world.places import Place
from bodies.practice.world.scenes import Boot, Cutscene, Naming, Player, Walking

BOOT_FRAMES = 180
SceneName = Literal["overworld", "dialog", "menu", "naming", "cutscene", "battle", "unknown"]
SCENE_NAMES: tuple[SceneName, ...] = get_args(SceneName)


class Country:
    """Everybody's game, advanced to `frame`."""

    def __init__(self, seed: int = 0, frame: int = 0) -> None:
        self.seed = seed
        self.frame = frame
        self._players: dict[str, Player] = {}
        self._people: dict[str, tuple[int, tuple[Person, ...]]] = {}

    def advance(self, frame: int) -> None:
        """Time passes up to this frame; it never goes back."""
        self.frame = max(self.frame, frame)

    def enter(self, player_id: str, saved: Player | None) -> Player:
        """A player takes a seat: exactly where they were, or at the very beginning."""
        boot = Boot(self.frame + BOOT_FRAMES)
        return self._put(saved or Player(player_id, FIRST_TILE, "south", boot))

    def leave(self, player_id: str) -> Player:
        """A player's body goes; what is returned is their progress."""
        player = self.player(player_id)
        del self._players[player_id]
        return player

    def player(self, player_id: str) -> Player:
        """The player now. Raises KeyError for somebody who is not here."""
        player = buttons.settled(self._players[player_id], self.frame)
        self._players[player_id] = player
        return player

    def press(self, player_id: str, button: Button, held: int) -> Player:
        """One press of a button; a person who is spoken to turns around."""
        before = self.player(player_id)
        after = buttons.press(before, button, held, self.around(before))
        self._players[player_id] = after
        if before.scene is not after.scene and button == "a":
            self._turn_people_to(before)
        return after

    def replace_body(self, player_id: str) -> Player:
        """The same player in a new body."""
        player = self.player(player_id)
        return self._put(replace(player, body_generation=player.body_generation + 1))

    def travel(self, player_id: str, region: str) -> Player:
        """The player in a new body where one arrives in that region."""
        moved = replace(self.replace_body(player_id), spot=ARRIVALS[region], facing="south")
        return self._put(replace(moved, scene=Walking(self.frame)))

    def show(self, player_id: str, scene: SceneName) -> Player:
        """The player's screen changes to a scene of this name, whatever it was."""
        player = self.player(player_id)
        match scene:
            case "overworld":
                return self._put(replace(player, scene=Walking(self.frame)))
            case "dialog":
                return self._put(tales.tell(player, "passer-by", self.frame))
            case "menu":
                return self._put(tales.tell(player, "start-menu", self.frame))
            case "naming":
                return self._put(replace(player, scene=Naming()))
            case "cutscene":
                until = self.frame + tales.CUTSCENE_FRAMES
                return self._put(replace(player, scene=Cutscene(until, "passer-by")))
            case "battle":
                party = player.party or (grown(101, 5),)
                return self._put(battle.meet(replace(player, party=party), 201, 2, self.frame))
            case "unknown":
                return self._put(replace(player, scene=Boot(self.frame + BOOT_FRAMES)))

    def around(self, player: Player) -> Around:
        """What this player's rules may know of the world."""
        folk = self.people_on(player.spot.map_id)
        taken = frozenset(other.spot for other in self.others_on(player)) | {
            person.spot for person in folk
        }
        return Around(self.frame, self.seed, folk, taken)

    def people_on(self, map_id: str) -> tuple[Person, ...]:
        """The residents of a map, where they stand now."""
        place = PLACES[map_id]
        thought = self.frame // FRAMES_PER_THOUGHT
        known, folk = self._people.get(map_id) or (thought, people.at_home(place))
        if known < thought:
            players = frozenset(player.spot for player in self._players.values())
            folk = people.wander(place, folk, players, range(known + 1, thought + 1), self.seed)
        self._people[map_id] = (thought, folk)
        return folk

    def others_on(self, player: Player) -> Iterable[Player]:
        """The other players on the same map."""
        return (
            other
            for other in self._players.values()
            if other.player_id != player.player_id
            and other.spot.map_id == player.spot.map_id
            and "named" in other.flags
        )

    def place(self, player: Player) -> Place:
        return PLACES[player.spot.map_id]

    def _put(self, player: Player) -> Player:
        self._players[player.player_id] = player
        return player

    def _turn_people_to(self, player: Player) -> None:
        thought, folk = self._people[player.spot.map_id]
        ahead = player.spot.toward(player.facing)
        turned = tuple(
            people.turned_to(person, player.spot) if person.spot == ahead else person
            for person in folk
        )
        self._people[player.spot.map_id] = (thought, turned)
