"""Checks the configuration file: what is wrong in it, and who may change it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from config.check import check_config
from config.permissions import loose_permissions
from daemon.doctor.finding import Finding, Patient, fail, ok, warn
from daemon.programs import search_path


def check_configuration(file: Path, environ: Mapping[str, str]) -> list[Finding]:
    """Everything that `playctl config check` tells."""
    found = [
        (fail if item.severity == "error" else warn)(
            "configuration",
            f"{item.key or item.file}: {item.problem}",
            item.hint
            or (
                "name another: --config FILE" if item.line is None else f"see its line {item.line}"
            ),
        )
        for item in check_config(file, {**environ, "PATH": search_path(environ)})
    ]
    return found or [ok("configuration", f"{file} is good")]


def check_permissions(patient: Patient) -> list[Finding]:
    """Whether others could change the file, or the folder that it is in."""
    loose = loose_permissions(patient.configuration)
    found = [fail("permissions", f"{one.path} {one.problem}", one.remedy) for one in loose]
    return found or [ok("permissions", f"{patient.configuration} is its owner's to change")]
