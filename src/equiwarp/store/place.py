"""Where a SQLite file may live, and whether it still looks like one.

SQLite's write-ahead log needs memory shared between all processes that use the file, and locks that
are honoured. Network shares offer neither reliably, and the damage shows weeks later; so they are
refused at once.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import quote

from equiwarp.exceptions import StoreDamaged, StoreMissing, StoreUnsuitable
from equiwarp.store import open_file

#: File systems that are served by another machine.
NETWORK = frozenset(
    [
        *("nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "9p", "afs", "ncpfs", "ceph", "glusterfs"),
        *("lustre", "beegfs", "gpfs", "davfs", "fuse.sshfs", "fuse.davfs2", "fuse.rclone", "fuse.s3fs"),
        *("fuse.glusterfs", "fuse.ceph", "fuse.gvfsd-fuse", "fuse.curlftpfs", "fuse.smbnetfs"),
    ]
)
MOUNTS = Path("/proc/mounts")
_MAGIC = b"SQLite format 3\x00"


def file_system(path: Path, mounts: str) -> tuple[str, str]:
    """Mount point and type of the file system that holds ``path``, from the text of /proc/mounts."""
    target = str(path.resolve())
    best, kind = "", "unknown"
    for line in mounts.splitlines():
        fields = line.split()
        if len(fields) < 3:
            continue
        # The kernel writes blanks and backslashes in paths as octal escapes.
        point = re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), fields[1])
        inside = target == point or target.startswith(point.rstrip("/") + "/")
        # A later mount on the same point hides the earlier one.
        if inside and len(point) >= len(best):
            best, kind = point, fields[2]
    return best, kind


def require_local(path: Path, mounts: str | None = None) -> None:
    """Refuse a SQLite file on a network share; says nothing where the system does not tell."""
    if mounts is None:
        try:
            mounts = MOUNTS.read_text()
        except OSError:
            return
    point, kind = file_system(path, mounts)
    if kind in NETWORK:
        raise StoreUnsuitable(
            f"{path} is on a network share ({kind} at {point}), where SQLite's locks and shared memory do "
            "not work and the file would be damaged sooner or later; keep it on a local disk, or use a "
            "PostgreSQL server with --store postgresql://..."
        )


def require_file(path: Path) -> None:
    """A regular SQLite file of the length that its own header states."""
    if path.is_dir():
        raise StoreMissing(f"{path} is a folder; give the path of a file in it, such as {path / 'lab.db'}")
    size, header = path.stat().st_size, _header(path)
    if header is None:
        return
    if size == 0:
        raise StoreDamaged(
            f"{path} is empty: a store never is. If data was in it, restore the last good copy; "
            "otherwise delete the file and start again"
        )
    if len(header) < 100 or not header.startswith(_MAGIC):
        raise StoreDamaged(f"{path} is not a SQLite file; give the path of a store, or a new name")
    stated = _stated_size(header)
    # Pages that are still in the log only are no loss; SQLite itself checks those.
    if stated > size and not has_log(path):
        raise StoreDamaged(
            f"{path} is cut short: its header speaks of {stated} bytes, the file has {size}; "
            "restore the last good copy, and run `equiwarp doctor` on it"
        )


def _header(path: Path) -> bytes | None:
    """The first 100 bytes; None if this process has the file open already, see ``open_file.in_use_here``."""
    with open_file.closing:
        if open_file.in_use_here(path):
            return None
        with path.open("rb") as file:
            return file.read(100)


def uses_log(path: Path) -> bool:
    """Whether the file is set to use a write-ahead log; copies made by VACUUM INTO are not."""
    header = _header(path)
    return header is None or header[18:20] == b"\x02\x02"


def has_log(path: Path) -> bool:
    """Whether a write-ahead log with content lies beside the file."""
    log = open_file.log_of(path)
    return log.exists() and log.stat().st_size > 0


def writable(path: Path) -> bool:
    return os.access(path, os.W_OK)


def sqlite_name(file: Path) -> str:
    """SQLite's name for a file that must exist, to be written if that is allowed."""
    return f"file:{quote(str(file))}?mode=rw" if writable(file) or not file.exists() else read_only(file)


def read_only(file: Path) -> str:
    """SQLite's name for a file that is not to be written; without log and writable folder, unchanging."""
    fixed = not writable(file.parent) and not has_log(file)
    return f"file:{quote(str(file))}?mode=ro{'&immutable=1' if fixed else ''}"


def _stated_size(header: bytes) -> int:
    """Page size times page count; 0 where the count is not valid (bytes 24 and 92 differ)."""
    page = int.from_bytes(header[16:18], "big")
    page = 65536 if page == 1 else page
    if header[24:28] != header[92:96]:
        return 0
    return page * int.from_bytes(header[28:32], "big")
