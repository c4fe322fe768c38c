"""Creatures: the kinds that live in the practice country and what they can do."""

import msgspec


class Move(msgspec.Struct, frozen=True):
    move_id: int
    name: str
    power: int


class Kind(msgspec.Struct, frozen=True):
    species_id: int
    name: str
    sturdiness: int
    moves: tuple[int, ...]


class Creature(msgspec.Struct, frozen=True):
    """One creature with its level and its health; `spent` is experience towards the next level."""

    species_id: int
    level: int
    hp: int
    max_hp: int
    spent: int = 0

    @property
    def kind(self) -> Kind:
        return KINDS[self.species_id]


MOVES = {
    move.move_id: move
    for move in (
        Move(1, "Bump", 4),
        Move(2, "Thistle", 5),
        Move(3, "Spark", 5),
        Move(4, "Splash", 5),
        Move(5, "Stare", 0),
        Move(6, "Nip", 3),
    )
}
KINDS = {
    kind.species_id: kind
    for kind in (
        Kind(101, "Mossling", 13, (1, 2)),
        Kind(102, "Cinderpaw", 11, (1, 3)),
        Kind(103, "Puddlet", 12, (1, 4)),
        Kind(201, "Nibbet", 7, (6, 5)),
        Kind(202, "Wisprey", 8, (6, 1)),
        Kind(203, "Marshtoad", 10, (1, 4)),
    )
}


def grown(species_id: int, level: int) -> Creature:
    """A healthy creature of this kind and level."""
    health = KINDS[species_id].sturdiness + level * 2
    return Creature(species_id, level, health, health)


def healed(creature: Creature, by: int | None = None) -> Creature:
    """The creature with this much health back, or all of it."""
    hp = creature.max_hp if by is None else min(creature.max_hp, creature.hp + by)
    return msgspec.structs.replace(creature, hp=hp)
