"""Who else may change a configuration, by modes and groups."""

import grp
import os
import pwd
from pathlib import Path

import pytest

from config.permissions import loose_permissions


@pytest.mark.parametrize(
    ("mode", "loose"),
    [(0o600, False), (0o644, False), (0o666, True), (0o646, True), (0o1666, True)],
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


def test_of_a_link_the_folder_that_it_leads_to_counts_too(tmp_path: Path):
    target = tmp_path / "shared" / "playd.toml"
    target.parent.mkdir()
    target.touch()
    target.parent.chmod(0o777)
    link = tmp_path / "playd.toml"
    link.symlink_to(target)
    assert [one.path for one in loose_permissions(link)] == [target.parent]


def test_a_link_that_leads_nowhere_is_passed_over(tmp_path: Path):
    link = tmp_path / "playd.toml"
    link.symlink_to(link)
    assert list(loose_permissions(link)) == []


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
