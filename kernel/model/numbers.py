"""Numbers as models write them, taken only where nothing is lost (K12)."""

import math
import re

LARGEST = 2**53

_WHOLE = re.compile(r"-?(?:0|[1-9][0-9]{0,15})(?:\.0{1,15})?", re.ASCII)
_DECIMAL = re.compile(
    r"-?(?:0|[1-9][0-9]{0,15})(?:\.[0-9]{1,15})?(?:[eE][+-]?[0-9]{1,3})?", re.ASCII
)


def lossless_int(value: object) -> int | None:
    """17, 16.0, "17" and "16.0" as an int; None for what is no whole number within ±2**53."""
    match value:
        case bool():
            return None
        case int():
            whole = value
        case float() if math.isfinite(value) and value.is_integer():
            whole = int(value)
        case str() if _WHOLE.fullmatch(value):
            whole = int(value.partition(".")[0])
        case _:
            return None
    return whole if -LARGEST <= whole <= LARGEST else None


def lossless_number(value: object) -> float | None:
    """A finite number, or its JSON spelling in a string, within ±2**53; else None."""
    match value:
        case bool():
            return None
        case int() if -LARGEST <= value <= LARGEST:
            number = float(value)
        case float():
            number = value
        case str() if _DECIMAL.fullmatch(value):
            number = float(value)
        case _:
            return None
    return number if math.isfinite(number) and abs(number) <= LARGEST else None
