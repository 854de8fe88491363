"""The build backend: setuptools, with wheels and sdists whose bytes depend on the files of the checkout alone.

Neither the clock, nor the permissions of the files, nor the umask of whoever builds is in the wheel. The version of
setuptools is, in one line of it.
"""

import gzip
import io
import tarfile
import zipfile
from pathlib import Path
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403 - the other hooks of PEP 517

# The first date that a zip file can hold.
_DATE = (1980, 1, 1, 0, 0, 0)
_TIME = 315532800  # the same, in seconds
_READABLE = 0o100644 << 16


def build_wheel(
    wheel_directory: str, config_settings: dict[str, Any] | None = None, metadata_directory: str | None = None
) -> str:
    """Builds the wheel (PEP 517); returns its name."""
    name = str(build_meta.build_wheel(wheel_directory, config_settings, metadata_directory))
    _without_traces(Path(wheel_directory) / name)
    return name


def build_sdist(sdist_directory: str, config_settings: dict[str, Any] | None = None) -> str:
    """Builds the sdist (PEP 517); returns its name."""
    name = str(build_meta.build_sdist(sdist_directory, config_settings))
    path = Path(sdist_directory) / name
    written = io.BytesIO()
    with (
        tarfile.open(path) as before,
        gzip.GzipFile("", "wb", fileobj=written, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as after,
    ):
        for member in sorted(before.getmembers(), key=lambda member: member.name):
            content = before.extractfile(member) if member.isfile() else None
            member.mtime, member.uid, member.gid, member.uname, member.gname = _TIME, 0, 0, "", ""
            member.mode = 0o755 if member.isdir() else 0o644
            member.pax_headers = {}
            after.addfile(member, content)
    path.write_bytes(written.getvalue())
    return name


def _without_traces(wheel: Path) -> None:
    """Writes a wheel anew: files sorted by name, its metadata last, all with the same date and permissions."""
    written = wheel.with_name(f".{wheel.name}.new")
    with zipfile.ZipFile(wheel) as before, zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as after:
        for name in sorted(before.namelist(), key=lambda name: (".dist-info/" in name, name)):
            entry = zipfile.ZipInfo(name, _DATE)
            entry.external_attr = _READABLE
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # the same on every system
            after.writestr(entry, before.read(name))
    written.replace(wheel)
