"""A seal: a digest inside a file, over the whole file, that its readers demand.

The seal is the line ``hysteresis-seal:`` and 64 hexadecimal digits, somewhere in the file: in a
header, in metadata, or at the end, as the format allows. It is the SHA-256 of the file with zeros
in place of these digits. So no byte of a sealed file can change unnoticed, whatever its format.
"""

import hashlib
import re
from pathlib import Path

from hysteresis.errors import UserError

_MARK = b"hysteresis-seal:"
UNSEALED = (_MARK + b"0" * 64).decode()
"""What a writer puts into a file, exactly once, before :func:`seal`."""
_SEAL = re.compile(re.escape(_MARK) + rb"([0-9a-f]{64})")


def seal(path: Path) -> None:
    """Fill in the seal of a file that holds :data:`UNSEALED` once."""
    content = path.read_bytes()
    if content.count(UNSEALED.encode()) != 1:
        raise ValueError(f"{path}: must hold one place for a seal")
    digest = hashlib.sha256(content).hexdigest().encode()
    with path.open("rb+") as stream:
        stream.seek(content.index(UNSEALED.encode()) + len(_MARK))
        stream.write(digest)


def read_sealed(path: Path, what: str) -> bytes:
    """The content of a sealed file; UserError when it is missing, unsealed or changed.

    ``what`` says in messages what the file should be: "checkpoint", "table".
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path}: no {what} can be read here ({error.strerror})") from None
    found = _SEAL.search(content)
    if found is None:
        raise UserError(
            f"{path}: not a sealed {what}: damaged, made by an older version, or by something "
            "else; delete it and build it again"
        )
    start, stop = found.span(1)
    digest = hashlib.sha256(content[:start])
    digest.update(b"0" * 64)
    digest.update(memoryview(content)[stop:])
    if digest.hexdigest().encode() != found.group(1):
        raise UserError(
            f"{path}: the {what} was damaged or changed after it was written; delete it and build "
            "it again"
        )
    return content
