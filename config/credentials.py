"""Turns a reference in the configuration, `file:PATH` or `systemd:NAME`, into the secret itself."""

from __future__ import annotations

import os
import pwd
import re
from collections.abc import Mapping
from pathlib import Path
from shlex import quote

from config.regular_file import FileError, RegularFile, read_regular_file
from config.secret import Secret

MAX_CREDENTIAL_BYTES = 8 * 1024


class CredentialError(Exception):
    """A credential that cannot be used; says why and what to run, never what it holds."""

    def __init__(self, reference: str, problem: str, hint: str | None = None) -> None:
        super().__init__(f"credential {reference}: {problem}" + (f" ({hint})" if hint else ""))
        self.reference = reference
        self.problem = problem
        self.hint = hint


def read_credential(reference: str, environ: Mapping[str, str]) -> Secret:
    """Reads one line of text of at most 8 KiB; the line's end is not part of it.

    A file must be its owner's alone and belong to this user or root. systemd guards its own files,
    found through `$CREDENTIALS_DIRECTORY`. Raises CredentialError.
    """
    source, _, name = reference.partition(":")
    path = Path(name) if source == "file" else _systemd_path(reference, name, environ)
    try:
        file = read_regular_file(path, MAX_CREDENTIAL_BYTES)
    except FileError as error:
        raise CredentialError(reference, error.problem, error.hint) from error
    if source == "file":
        _require_private(reference, path, file)
    return Secret(_one_line(reference, file.data))


def _systemd_path(reference: str, name: str, environ: Mapping[str, str]) -> Path:
    folder = environ.get("CREDENTIALS_DIRECTORY")
    if not folder:
        raise CredentialError(
            reference,
            "$CREDENTIALS_DIRECTORY is not set, so systemd passed no credentials",
            f"add LoadCredential={name}:PATH to the unit and restart it, or use file:PATH",
        )
    return Path(folder) / name


def _require_private(reference: str, path: Path, file: RegularFile) -> None:
    if file.owner not in (os.geteuid(), 0):
        raise CredentialError(
            reference,
            f"belongs to uid {file.owner}, neither to this user ({os.geteuid()}) nor to root",
            f"run: chown {os.geteuid()} {quote(str(path))}"
            if os.geteuid()
            else f"it is that user's: runuser -u {_user(file.owner)} -- playctl …",
        )
    if file.mode & 0o077:
        raise CredentialError(
            reference,
            f"has mode {file.mode:04o}, so others than its owner can use it",
            f"run: chmod 600 {quote(str(path))}",
        )


def _user(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"'#{uid}'"


def _one_line(reference: str, data: bytes) -> str:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        # Not chained: the decoder's error carries the bytes.
        raise CredentialError(reference, "is not UTF-8 text") from None
    text = text.removesuffix("\n").removesuffix("\r")
    if not text:
        raise CredentialError(reference, "is empty")
    if re.search(r"[\x00-\x1f\x7f]", text):
        raise CredentialError(reference, "holds more than one line, or a control character")
    return text
