"""What went wrong, without the groups that nurseries make around it."""

from __future__ import annotations

from typing import cast


def innermost(error: BaseException) -> BaseException:
    """The first error that a group of groups was made around."""
    while isinstance(error, BaseExceptionGroup):
        error = next(iter(cast("BaseExceptionGroup[BaseException]", error).exceptions))
    return error
