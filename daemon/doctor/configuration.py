"""Checks the configuration file: what is wrong in it, and who may change it."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from pathlib import Path
from shlex import quote

from config.check import check_config
from daemon.doctor.finding import Finding, Patient, fail, ok, warn
from daemon.programs import search_path


def check_configuration(file: Path, environ: Mapping[str, str]) -> list[Finding]:
    """Everything that `playctl config check` tells."""
    found = [
        (fail if item.severity == "error" else warn)(
            "configuration",
            f"{item.key or item.file}: {item.problem}",
            item.hint or f"see line {item.line} of {item.file}",
        )
        for item in check_config(file, {**environ, "PATH": search_path(environ)})
    ]
    return found or [ok("configuration", f"{file} is good")]


def check_permissions(patient: Patient) -> list[Finding]:
    """Whether others could change the file, or the folder that it is in."""
    found: list[Finding] = []
    for path in (patient.configuration, patient.configuration.absolute().parent):
        status = path.stat()
        sticky_folder = status.st_mode & stat.S_ISVTX
        if status.st_mode & 0o022 and not sticky_folder:
            mode = stat.S_IMODE(status.st_mode)
            found.append(
                fail(
                    "permissions",
                    f"others than its owner can change {path} (mode {mode:04o})",
                    f"chmod go-w {quote(str(path))}",
                )
            )
    return found or [ok("permissions", f"{patient.configuration} is its owner's to change")]
