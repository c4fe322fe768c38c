"""Who else may change a configuration, by modes and groups."""

import grp
import os
import pwd
from pathlib import Path

import pytest

from config.permissions import loose_permissions


@pytest.mark.parametrize(
    ("mode", "loose"), [(0o600, False), (0o644, False), (0o666, True), (0o646, True)]
)
def test_a_file_that_others_can_write_is_loose(tmp_path: Path, mode: int, loose: bool):
    file = tmp_path / "playd.toml"
    file.touch()
    file.chmod(mode)
    found = [(one.path, one.remedy) for one in loose_permissions(file)]
    assert found == ([(file, f"chmod go-w {file}")] if loose else [])


def test_a_folder_counts_too_unless_it_is_sticky(tmp_path: Path):
    file = tmp_path / "it's" / "playd.toml"
    file.parent.mkdir()
    file.parent.chmod(0o777)
    assert [one.path for one in loose_permissions(file)] == [file.parent]
    file.parent.chmod(0o1777)
    assert list(loose_permissions(file)) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="gives a file to another user, which root alone may")
def test_a_users_own_group_is_nobody_else(tmp_path: Path):
    user = next(
        one
        for one in pwd.getpwall()
        if any(g.gr_name == one.pw_name and not g.gr_mem for g in grp.getgrall())
    )
    file = tmp_path / "playd.toml"
    file.touch()
    file.chmod(0o664)
    os.chown(file, user.pw_uid, grp.getgrnam(user.pw_name).gr_gid)
    assert list(loose_permissions(file)) == []
    other = next(one for one in grp.getgrall() if one.gr_name != user.pw_name)
    os.chown(file, user.pw_uid, other.gr_gid)
    assert [one.path for one in loose_permissions(file)] == [file]
