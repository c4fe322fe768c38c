"""Glyphs: letters five pixels high, for the text box. Each string is five rows of pixels."""

HEIGHT = 5
_ROWS = {
    "A": ".X. X.X XXX X.X X.X",
    "B": "XX. X.X XX. X.X XX.",
    "C": ".XX X.. X.. X.. .XX",
    "D": "XX. X.X X.X X.X XX.",
    "E": "XXX X.. XX. X.. XXX",
    "F": "XXX X.. XX. X.. X..",
    "G": ".XX X.. X.X X.X .XX",
    "H": "X.X X.X XXX X.X X.X",
    "I": "XXX .X. .X. .X. XXX",
    "J": "..X ..X ..X X.X .X.",
    "K": "X.X X.X XX. X.X X.X",
    "L": "X.. X.. X.. X.. XXX",
    "M": "X...X XX.XX X.X.X X...X X...X",
    "N": "X..X XX.X X.XX X..X X..X",
    "O": ".X. X.X X.X X.X .X.",
    "P": "XX. X.X XX. X.. X..",
    "Q": ".X. X.X X.X .XX ..X",
    "R": "XX. X.X XX. X.X X.X",
    "S": ".XX X.. .X. ..X XX.",
    "T": "XXX .X. .X. .X. .X.",
    "U": "X.X X.X X.X X.X XXX",
    "V": "X.X X.X X.X X.X .X.",
    "W": "X...X X...X X.X.X XX.XX X...X",
    "X": "X.X X.X .X. X.X X.X",
    "Y": "X.X X.X .X. .X. .X.",
    "Z": "XXX ..X .X. X.. XXX",
    "0": "XXX X.X X.X X.X XXX",
    "1": ".X. XX. .X. .X. XXX",
    "2": "XX. ..X .X. X.. XXX",
    "3": "XX. ..X .X. ..X XX.",
    "4": "X.X X.X XXX ..X ..X",
    "5": "XXX X.. XX. ..X XX.",
    "6": ".XX X.. XXX X.X XXX",
    "7": "XXX ..X .X. .X. .X.",
    "8": "XXX X.X XXX X.X XXX",
    "9": "XXX X.X XXX ..X XX.",
    ".": ". . . . X",
    ",": ".. .. .. .X X.",
    "!": "X X X . X",
    "?": "XX. ..X .X. ... .X.",
    "'": "X X . . .",
    ":": ". X . X .",
    "-": "... ... XXX ... ...",
    "/": "..X ..X .X. X.. X..",
    ">": "X.. .X. ..X .X. X..",
    " ": ".. .. .. .. ..",
}
_GLYPHS = {letter: tuple(rows.split()) for letter, rows in _ROWS.items()}


def glyph(letter: str) -> tuple[str, ...]:
    """The five rows of a letter, upper case; an unknown one is a question mark."""
    return _GLYPHS.get(letter.upper(), _GLYPHS["?"])
