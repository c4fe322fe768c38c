"""Commands about journals: journal list, show, tail, verify. They read files and ask no daemon."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    pass

_journal_file = click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))


@click.group()
def journal() -> None:
    """Read journals: what was played, exactly as it was written."""
