"""The report of one run: a page that holds all that it needs and asks nothing of the network.

Every text in a journal was written by a model, a world or a person and is not trusted: it enters
the page as JSON data alone, from which the page's script makes text nodes. The policy in the page's
head lets nothing else run, load or send.
"""

from __future__ import annotations

import base64
import hashlib
import html
from importlib import resources
from pathlib import Path
from string import Template

import msgspec

from kernel.journal.evaluation.side_logs import LifecycleEvents, Receipts
from kernel.journal.projection import FindReading
from kernel.journal.report.document import document_of


def report_page(
    path: Path, find_reading: FindReading, events: LifecycleEvents, receipts: Receipts
) -> str:
    """The page of one journal. Raises JournalUnreadable and JournalDamaged."""
    document = document_of(path, find_reading, events, receipts)
    style, script = _asset("report.css"), "".join(map(_asset, _SCRIPTS))
    return Template(_asset("report.html")).substitute(
        policy=html.escape(_policy(style, script)),
        title=html.escape(f"Run {document.run.run_id or path.stem}"),
        style=style,
        script=script,
        data=as_data(document),
    )


def as_data(value: object) -> str:
    """JSON that may stand inside a script element, whatever texts it holds."""
    text = msgspec.json.encode(value).decode()
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


_SCRIPTS = ("masthead.js", "figures.js", "turns.js")
"""The page's one script, in the order of its parts."""


def _policy(style: str, script: str) -> str:
    return "; ".join(
        (
            "default-src 'none'",
            "img-src data:",
            f"style-src '{_digest(style)}'",
            f"script-src '{_digest(script)}'",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _asset(name: str) -> str:
    return resources.files("kernel.journal.report").joinpath(name).read_text("utf-8")
