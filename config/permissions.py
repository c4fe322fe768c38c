"""Who else may change a configuration: by its own mode, or by that of a folder it is found in."""

from __future__ import annotations

import grp
import os
import pwd
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shlex import quote


@dataclass(frozen=True)
class Loose:
    """A file or folder that others than its owner can change."""

    path: Path
    mode: int

    @property
    def problem(self) -> str:
        """What is wrong with it."""
        return f"can be changed by others than its owner (mode {self.mode:04o})"

    @property
    def remedy(self) -> str:
        """The command that mends it."""
        return f"chmod go-w {quote(str(self.path))}"


def loose_permissions(file: Path) -> Iterator[Loose]:
    """The file and its folder, where others can change them; what is not there is passed over.

    Of a symbolic link also the folder of the file that it leads to. A sticky folder keeps its
    files from others, and a user's own group has nobody else in it.
    """
    folders = [file.absolute().parent]
    if file.is_symlink():
        folders.append(Path(os.path.realpath(file)).parent)  # links in a circle do not raise
    for path in dict.fromkeys((file, *folders)):
        try:
            status = path.stat()
        except OSError:
            continue
        writers = status.st_mode & (stat.S_IWOTH if _is_alone_in_group(status) else 0o022)
        sticky = stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX
        if writers and not sticky:
            yield Loose(path, stat.S_IMODE(status.st_mode))


def _is_alone_in_group(status: os.stat_result) -> bool:
    """By the convention of user private groups: the user's name and no other member."""
    try:
        user, group = pwd.getpwuid(status.st_uid), grp.getgrgid(status.st_gid)
    except KeyError:
        return False
    return group.gr_name == user.pw_name and set(group.gr_mem) <= {user.pw_name}
