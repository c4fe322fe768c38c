"""Writes the tables of these pages from the code; `script/reference` runs it.

What the code does not say of a field stands in `fields.toml`. A field without any meaning is an
error, so that no table goes stale in silence.
"""

import ast
import inspect
import re
import sys
from itertools import pairwise
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Literal, Union, get_args, get_origin, get_type_hints

import click
import msgspec
import tomli
from msgspec import NODEFAULT, UNSET, Raw, Struct, UnsetType

from bodies.minecraft import turn_line as minecraft
from bodies.practice.main import main as practice
from config import settings
from daemon import conduct
from daemon.control.wire import Code
from daemon.main import playd
from daemon.playctl import exits
from daemon.playctl.main import playctl
from kernel.journal import lines
from kernel.session import specification, wire

FIELDS = tomli.loads(Path(__file__).with_name("fields.toml").read_text())
AMBIGUOUS = {wire.Budget: "BudgetMessage", wire.Turn: "WireTurn", wire.Usage: "WireUsage"}
missing = []


def said_of_fields(struct):
    """What stands under each field in the source, inherited fields included."""
    said = {}
    for kind in reversed(struct.__mro__):
        if kind.__module__.split(".")[0] not in ("config", "kernel", "bodies"):
            continue
        (body,) = ast.parse(inspect.getsource(kind)).body
        for field, after in pairwise(body.body):
            if isinstance(field, ast.AnnAssign) and isinstance(after, ast.Expr):
                said[field.target.id] = ast.literal_eval(after.value)
    return said


def in_words(kind):
    """A type, for people."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        meta = [m for m in arguments[1:] if isinstance(m, msgspec.Meta)]
        for one in meta:
            if one.description:
                return one.description.split(": a-z")[0].removesuffix(", never the secret itself")
        return in_words(arguments[0]) + "".join(bounds(one) for one in meta)
    if origin is Literal:
        return ", ".join(f"`{word}`" for word in arguments)
    if origin in (Union, UnionType):
        members = [member for member in arguments if member is not UnsetType]
        words = [in_words(member) for member in members if member is not NoneType]
        return " or ".join([*words, *(["null"] if NoneType in members else [])])
    if origin in (tuple, frozenset):
        return f"list of {in_words(arguments[0])}"
    if origin is dict:
        return f"table of {in_words(arguments[1])} by {in_words(arguments[0])}"
    if isinstance(kind, type) and issubclass(kind, Struct):
        return kind.__name__
    plain = {
        str: "string",
        int: "whole number",
        float: "number",
        bool: "true or false",
        Raw: "JSON",
    }
    return plain[kind]


def bounds(meta):
    if meta.pattern and "T[0-9]" in meta.pattern:
        return ", UTC with `Z`"
    if meta.pattern and "{64}" in meta.pattern:
        return ", 64 hexadecimal digits"
    if meta.max_length is not None:
        return f", ≤ {meta.max_length} characters"
    if meta.gt is not None:
        return f" > {meta.gt:g}"
    if meta.ge:
        return f" ≥ {meta.ge:,}"
    return ""


def default_of(field):
    if field.default_factory is not NODEFAULT:
        return "–"
    match field.default:
        case value if value is NODEFAULT:
            return "needed"
        case None:
            return "–"
        case True | False:
            return str(field.default).lower()
        case int() | float():
            return f"{field.default:,}"
        case str():
            return f"`{field.default}`"
        case frozenset() if field.default:
            return ", ".join(f"`{word}`" for word in sorted(field.default))
        case _:
            return "–"


def table(head, rows):
    cells = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *cells])


def inline(text):
    return " ".join((text or "").split())


def meaning(struct, field, said):
    """What the code says of a field, else `fields.toml`."""
    if field.name in said:
        return inline(said[field.name])
    own = FIELDS.get(AMBIGUOUS.get(struct, struct.__name__), {})
    if field.encode_name in own:
        return own[field.encode_name]
    found = FIELDS.get(field.encode_name)
    if not isinstance(found, str):
        missing.append(f"{struct.__name__}.{field.encode_name}")
        return ""
    return found


def settings_table(struct):
    kinds, said = get_type_hints(struct, include_extras=True), said_of_fields(struct)
    return table(
        ["key", "value", "default", "meaning"],
        [
            [
                f"`{f.encode_name}`",
                in_words(kinds[f.name]).removesuffix(" or null"),
                default_of(f),
                meaning(struct, f, said),
            ]
            for f in msgspec.structs.fields(struct)
            if not holds_tables(kinds[f.name])
        ],
    )


def holds_tables(kind):
    """Whether a setting is a table of its own, shown under its own heading."""
    if get_origin(kind) in (Union, UnionType, tuple, dict, Annotated):
        return any(holds_tables(member) for member in get_args(kind))
    return isinstance(kind, type) and issubclass(kind, Struct)


def configuration():
    parts = [
        ("At the top of the file", settings.Settings),
        ("`[limits]`", settings.Limits),
        ("`[metrics]`", settings.Metrics),
        ("`[control]`", settings.Control),
        ("`[log]`", settings.Log),
        ("`[models.NAME]`", settings.Model),
        ("`[models.NAME.price]`", settings.Price),
        ("`[personas.NAME]`", settings.Persona),
        ('`[seats.NAME]` with `body = "pokemon"`', settings.PokemonSeat),
        ('`[seats.NAME]` with `body = "minecraft"`', settings.MinecraftSeat),
        ("`[seats.NAME.profile]`", settings.Profile),
        ("`[seats.NAME.budget]`", settings.Budget),
        ("`[worlds.NAME]`", settings.World),
        ('`[rooms.NAME]` with `kind = "control"`', settings.ControlRoom),
        ('`[rooms.NAME]` with `kind = "webhook"`', settings.WebhookRoom),
        ('`[rooms.NAME]` with `kind = "log"`', settings.LogRoom),
        ("`[[grants]]`", settings.Grant),
    ]
    return "\n\n".join(
        f"## {title}\n\n{inline(struct.__doc__)}\n\n{settings_table(struct)}"
        for title, struct in parts
    )


def fields_table(struct, without=()):
    kinds, said = get_type_hints(struct, include_extras=True), said_of_fields(struct)
    rows = []
    for f in msgspec.structs.fields(struct):
        if f.name in without:
            continue
        value = in_words(kinds[f.name])
        if f.default is UNSET or UnsetType in get_args(kinds[f.name]):
            value += "; may be absent"
        rows.append([f"`{f.encode_name}`", value, meaning(struct, f, said)])
    return table(["field", "value", "meaning"], rows) if rows else "No further field."


def described(struct, level, title, without=()):
    said = inline(struct.__dict__.get("__doc__"))
    for field in msgspec.structs.fields(struct):
        said = said.replace(f"`{field.name}`", f"`{field.encode_name}`")
    return "\n\n".join(filter(None, [f"{level} {title}", said, fields_table(struct, without)]))


def messages(union):
    return "\n\n".join(
        described(kind, "###", f"`{kind.__struct_config__.tag}`", ("v",))
        for kind in get_args(union)
    )


def parts_of(module, names, level="###"):
    return "\n\n".join(described(getattr(module, name), level, name) for name in names)


def order():
    kinds = {kind: kind.__struct_config__.tag for kind in get_args(wire.FromSession)}
    rows = []
    for stage, allowed in conduct._ALLOWED.items():
        words = [f"`{tag}`" for kind, tag in kinds.items() if kind in allowed]
        rows.append([stage, ", ".join(words)])
    return table(["stage", "may send"], rows)


ENVELOPE = ("schema_version", *(f.name for f in msgspec.structs.fields(lines.Line)))


def journal_lines():
    shown = [
        described(kind, "###", f"`{kind.__struct_config__.tag}`", ENVELOPE)
        for kind in get_args(lines.AnyLine)
    ]
    at = 2
    shown.insert(at, described(minecraft.MinecraftTurnLine, "###", "`turn` of Minecraft", ENVELOPE))
    return "\n\n".join(shown)


def commands(command, name):
    """The help of a command and of those under it."""
    context = click.Context(command, info_name=name, max_content_width=80, terminal_width=80)
    shown = [f"### `{name}`\n\n```text\n{command.get_help(context)}\n```"]
    if isinstance(command, click.Group):
        names = command.list_commands(context)
        shown += [commands(command.get_command(context, one), f"{name} {one}") for one in names]
    return "\n\n".join(shown)


def exit_codes():
    meanings = {
        0: "done",
        1: "what was asked about is bad (`verify`, `doctor`, `health`), or playd itself failed",
        2: "wrong usage, or a standard output that cannot be written",
        3: "no daemon runs",
        4: "refused",
        5: "the configuration",
        6: "the world",
        7: "the model",
        8: "another daemon holds the state directory",
        141: "whoever read the output has enough, so not all was told or looked at",
    }
    by_exit = {exit: [] for exit in exits.Exit}
    for code in get_args(Code):
        by_exit[exits._EXITS.get(code, exits.Exit.REFUSED)].append(f"`{code}`")
    return table(
        ["exit code", "meaning", "answers of the daemon that lead to it"],
        [[str(int(e)), meanings[e], ", ".join(by_exit[e]) or "–"] for e in exits.Exit],
    )


TABLES = {
    "settings": configuration,
    "exit codes": exit_codes,
    "playctl": lambda: commands(playctl, "playctl"),
    "playd": lambda: commands(playd, "playd"),
    "playd-practice": lambda: commands(practice, "playd-practice"),
    "to the session": lambda: messages(wire.ToSession),
    "from the session": lambda: messages(wire.FromSession),
    "order": order,
    "parts of messages": lambda: parts_of(wire, ["Card", "BudgetUsed"]),
    "specification": lambda: parts_of(
        specification,
        [
            "Specification",
            "Sitting",
            "ModelChoice",
            "ModelRates",
            "BudgetCeiling",
            "RoomChoice",
            "Persona",
        ],
    ),
    "envelope": lambda: fields_table(lines.Line),
    "journal lines": journal_lines,
    "parts of lines": lambda: (
        parts_of(
            lines,
            [
                "Turn",
                "Usage",
                "Evidence",
                "Stage",
                "ActionResult",
                "Timing",
                "Screenshot",
                "Decided",
                "Ceilings",
                "Models",
                "Model",
                "Software",
                "Volition",
                "Undelivered",
            ],
        )
        + "\n\n"
        + parts_of(minecraft, ["NativeTurn", "Call", "Remembered"])
    ),
}

for page in sorted(Path(sys.argv[1]).glob("*.md")):
    text = page.read_text()
    new = re.sub(
        r"(<!-- from the code: (.+?) -->\n).*?(<!-- to here -->)",
        lambda mark: f"{mark[1]}\n{TABLES[mark[2]]()}\n\n{mark[3]}",
        text,
        flags=re.DOTALL,
    )
    if new != text:
        page.write_text(new)
if missing:
    sys.exit(f"fields.toml says nothing of {', '.join(missing)}")
