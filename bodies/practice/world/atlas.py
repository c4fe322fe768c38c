"""The atlas: every map of the practice country, its people, its signs and how they connect."""

from bodies.practice.world.places import (
    BORDER,
    Direction,
    Link,
    Place,
    Resident,
    Sign,
    Spot,
    Trigger,
    Warp,
)

UPSTAIRS = "hearthside/cottage-2f"
DOWNSTAIRS = "hearthside/cottage-1f"
TOWN = "hearthside"
STUDY = "hearthside/study"
STORE = "hearthside/store"
LANE = "heron-lane"
WICK = "stonewick"
COAST = "saltmarsh"

REGIONS = {"vale": "Hearth Vale", "coast": "The Salt Coast"}


def _at(map_id: str, column: int, row: int) -> Spot:
    return Spot(map_id, column + BORDER, row + BORDER)


FIRST_TILE = _at(UPSTAIRS, 5, 4)
BED_SIDE = _at(DOWNSTAIRS, 4, 4)
ARRIVALS = {"vale": _at(TOWN, 9, 9), "coast": _at(COAST, 3, 5)}


def _door(
    map_id: str, column: int, row: int, to: Spot, facing: Direction, *, by_stepping: bool = True
) -> Warp:
    return Warp(_at(map_id, column, row), to, facing, by_stepping)


_UPSTAIRS = Place(
    UPSTAIRS,
    "vale",
    4,
    1,
    (
        "############",
        "#........#D#",
        "#.##.....#.#",
        "#.##.......#",
        "#..........#",
        "#.....##...#",
        "############",
    ),
    warps=(_door(UPSTAIRS, 10, 1, _at(DOWNSTAIRS, 9, 1), "south"),),
    signs=(
        Sign(
            _at(UPSTAIRS, 2, 2),
            ("A shelf of travel books.\nEvery spine is cracked at the maps.",),
        ),
    ),
)

_DOWNSTAIRS = Place(
    DOWNSTAIRS,
    "vale",
    4,
    0,
    (
        "############",
        "#........D.#",
        "#..........#",
        "#...##.....#",
        "#..........#",
        "#..........#",
        "####Dm######",
        "############",
    ),
    warps=(
        _door(DOWNSTAIRS, 9, 1, _at(UPSTAIRS, 10, 2), "south"),
        _door(DOWNSTAIRS, 4, 6, _at(TOWN, 4, 7), "south"),
        _door(DOWNSTAIRS, 5, 6, _at(TOWN, 4, 7), "south", by_stepping=False),
    ),
    residents=(Resident(1, "Aunt Bramble", 11, _at(DOWNSTAIRS, 7, 3), 1, "aunt"),),
)

_TOWN = Place(
    TOWN,
    "vale",
    3,
    0,
    (
        "TTTTTTTTT..TTTTTTTTT",
        "T.................TT",
        "T.................TT",
        "T.#####....#####..TT",
        "T.#####....#####...T",
        "T.#####....#####...T",
        "T.##D##....##D##...T",
        "T..................T",
        "T........s.........T",
        "T..................T",
        "T...www............T",
        "T...www....#####...T",
        "T...www....#####...T",
        "T..........##D##...T",
        "T..................T",
        "TTTTTTTTTTTTTTTTTTTT",
    ),
    warps=(
        _door(TOWN, 4, 6, _at(DOWNSTAIRS, 4, 5), "north"),
        _door(TOWN, 13, 6, _at(STUDY, 5, 6), "north"),
        _door(TOWN, 13, 13, _at(STORE, 4, 5), "north"),
    ),
    links=(Link("north", LANE, -1),),
    signs=(Sign(_at(TOWN, 9, 8), ("HEARTHSIDE\nWhere the kettle is always on.",)),),
    residents=(
        Resident(1, "Old Fennel", 21, _at(TOWN, 7, 9), 2, "fennel"),
        Resident(2, "Pip", 22, _at(TOWN, 15, 9), 2, "pip"),
        Resident(3, "Warden Tansy", 23, _at(TOWN, 11, 2), 0, "tansy"),
    ),
    triggers=(
        Trigger(
            frozenset((_at(TOWN, 9, 2), _at(TOWN, 10, 2), _at(TOWN, 9, 1), _at(TOWN, 10, 1))),
            "tansy-greets",
            "greeted",
        ),
    ),
)

_STUDY = Place(
    STUDY,
    "vale",
    4,
    3,
    (
        "############",
        "#..........#",
        "#.##....##.#",
        "#..........#",
        "#..........#",
        "###......###",
        "#..........#",
        "####mDm#####",
    ),
    warps=(
        _door(STUDY, 5, 7, _at(TOWN, 13, 7), "south"),
        _door(STUDY, 4, 7, _at(TOWN, 13, 7), "south", by_stepping=False),
        _door(STUDY, 6, 7, _at(TOWN, 13, 7), "south", by_stepping=False),
    ),
    residents=(
        Resident(1, "Scholar Quill", 31, _at(STUDY, 5, 3), 0, "quill"),
        Resident(2, "Assistant", 32, _at(STUDY, 9, 4), 1, "assistant"),
    ),
)

_STORE = Place(
    STORE,
    "vale",
    5,
    0,
    (
        "##########",
        "#...#....#",
        "#...#.##.#",
        "#ccc#.##.#",
        "#........#",
        "#........#",
        "####D#####",
    ),
    warps=(_door(STORE, 4, 6, _at(TOWN, 13, 14), "south"),),
    residents=(Resident(1, "Shopkeeper", 41, _at(STORE, 2, 2), 0, "shopkeeper"),),
)

_LANE = Place(
    LANE,
    "vale",
    3,
    19,
    (
        "TTTTTTTT..TTTTTTTT",
        "T................T",
        "T..~~~~....~~~~..T",
        "T..~~~~....~~~~..T",
        "T..~~~~....~~~~..T",
        "T................T",
        "Tvvvvvvvvvvvvv...T",
        "T................T",
        "T......s.........T",
        "T...~~~~~~~......T",
        "T...~~~~~~~......T",
        "T................T",
        "TTTTTTTT..TTTTTTTT",
    ),
    links=(Link("south", TOWN, 1), Link("north", WICK, -2)),
    signs=(Sign(_at(LANE, 7, 8), ("HERON LANE\nMind the ledge: it only goes one way.",)),),
    residents=(Resident(1, "Walker", 51, _at(LANE, 13, 8), 3, "walker"),),
    triggers=(
        Trigger(
            frozenset(_at(LANE, column, 11) for column in range(1, 17)),
            "whistle",
            "companion",
        ),
    ),
    wild=(201, 202),
)

_WICK = Place(
    WICK,
    "vale",
    3,
    1,
    (
        "TTTTTTTTTTTTTTTT",
        "T..............T",
        "T..www....~~~..T",
        "T..www....~~~..T",
        "T..............T",
        "T.....s........T",
        "T..............T",
        "TTTTTT..TTTTTTTT",
    ),
    links=(Link("south", LANE, 2),),
    signs=(Sign(_at(WICK, 6, 5), ("STONEWICK\nThe lamps are lit at dusk.",)),),
    residents=(
        Resident(1, "Lamplighter", 61, _at(WICK, 9, 5), 3, "lamplighter"),
        Resident(2, "Mason", 62, _at(WICK, 3, 5), 1, "mason"),
    ),
    wild=(202, 203),
)

_COAST = Place(
    COAST,
    "coast",
    8,
    0,
    (
        "wwwwwwwwwwwwww",
        "w............w",
        "w..~~~~......w",
        "w..~~~~..#####",
        "w............#",
        "w............#",
        "w............#",
        "TTTTTTTTTTTTTT",
    ),
    residents=(Resident(1, "Ferrywoman", 71, _at(COAST, 8, 5), 2, "ferrywoman"),),
    wild=(203,),
)

PLACES: dict[str, Place] = {
    place.map_id: place
    for place in (_UPSTAIRS, _DOWNSTAIRS, _TOWN, _STUDY, _STORE, _LANE, _WICK, _COAST)
}
