"""Check the wheel and the source distribution in a folder, file by file.

A worker that is missing, not executable or not static would only show on a user's machine: packaging tools treat it
as data. So everything that a release promises is asserted here.

Usage: check_wheel.py DIST [--build-sdist]
"""

import argparse
import configparser
import email
import hashlib
import re
import struct
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
WORKER: Final = "toolcell/_bin/toolcell-worker"
NATIVE: Final = "toolcell/_native.abi3.so"
TAG: Final = re.compile(r"cp311-abi3-manylinux_2_(?P<glibc>\d+)_(?P<processor>x86_64|aarch64)")
ELF_MACHINES: Final = {"x86_64": 62, "aarch64": 183}
ET_EXEC: Final = 2
PT_DYNAMIC: Final = 2
PT_INTERP: Final = 3
SDIST_FOLDERS: Final = ("python/", "rust/")
SDIST_FILES: Final = frozenset({"Cargo.lock", "Cargo.toml", "LICENSE", "README.md", "pyproject.toml"})


class CheckError(Exception):
    """A promise that the distribution breaks."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Check the wheel and the source distribution in a folder.")
    parser.add_argument("dist", type=Path, help="folder with one wheel and one source distribution")
    parser.add_argument("--build-sdist", action="store_true", help="also build a wheel from the latter and check it")
    arguments = parser.parse_args()
    try:
        wheel = only(arguments.dist, "*.whl")
        sdist = only(arguments.dist, "*.tar.gz")
        check_wheel(wheel)
        check_sdist(sdist)
        if arguments.build_sdist:
            check_build(sdist, wheel)
    except CheckError as error:
        print(f"check_wheel: {error}", file=sys.stderr)
        return 1
    print(f"{wheel.name} and {sdist.name} are complete")
    return 0


def only(folder: Path, pattern: str) -> Path:
    """The one file of ``folder`` that matches."""
    found = sorted(folder.glob(pattern))
    require(len(found) == 1, f"{len(found)} files match {pattern} in {folder}, expected one")
    return found[0]


def require(condition: bool, message: str) -> None:
    if not condition:
        raise CheckError(message)


def project() -> dict[str, str]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)["project"]


def tracked(*folders: str) -> frozenset[str]:
    """Paths under version control, as the distributions are made from them."""
    listing = subprocess.run(["git", "ls-files", "-z", "--", *folders], cwd=ROOT, check=True, capture_output=True, text=True)
    return frozenset(path for path in listing.stdout.split("\0") if path)


def check_wheel(wheel: Path) -> None:
    name, version = project()["name"], project()["version"]
    prefix = f"{name}-{version}-"
    require(wheel.name.startswith(prefix), f"{wheel.name} does not start with {prefix}")
    tag = wheel.name.removeprefix(prefix).removesuffix(".whl")
    match = TAG.fullmatch(tag)
    require(match is not None, f"the tag is {tag}, expected {TAG.pattern}")
    assert match is not None
    with zipfile.ZipFile(wheel) as archive:
        check_files(archive, f"{name}-{version}.dist-info")
        check_metadata(archive, f"{name}-{version}.dist-info", tag)
        worker = archive.read(WORKER)
        check_worker(worker, ELF_MACHINES[match["processor"]])
        mode = archive.getinfo(WORKER).external_attr >> 16 & 0o777
        require(mode == 0o755, f"the worker's mode is {mode:o}, expected 755")
        sha256 = hashlib.sha256(worker).hexdigest().encode()
        require(sha256 in archive.read(NATIVE), "the native module does not expect the worker that lies beside it")


def check_files(archive: zipfile.ZipFile, info: str) -> None:
    """Exactly the package's sources, the two compiled files and the metadata."""
    sources = {path.removeprefix("python/") for path in tracked("python")}
    metadata = {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}
    expected = sources | {NATIVE, WORKER} | {f"{info}/{file}" for file in metadata}
    found = {entry for entry in archive.namelist() if not entry.endswith("/")}
    found = {entry for entry in found if not entry.startswith(f"{info}/sboms/")}
    require(found >= expected, f"missing in the wheel: {sorted(expected - found)}")
    require(found <= expected, f"too much in the wheel: {sorted(found - expected)}")


def check_metadata(archive: zipfile.ZipFile, info: str, tag: str) -> None:
    metadata = email.message_from_bytes(archive.read(f"{info}/METADATA"))
    found = {key: metadata[key] for key in ("Name", "Version", "Requires-Python", "License-Expression")}
    expected = {
        "Name": project()["name"],
        "Version": project()["version"],
        "Requires-Python": project()["requires-python"],
        "License-Expression": project()["license"],
    }
    require(found == expected, f"the metadata is {found}, expected {expected}")
    wheel = email.message_from_bytes(archive.read(f"{info}/WHEEL"))
    require(wheel["Tag"] == tag, f"WHEEL states the tag {wheel['Tag']}, the file name {tag}")
    require(wheel["Root-Is-Purelib"] == "false", "WHEEL calls a compiled package pure")
    entry_points = configparser.ConfigParser()
    entry_points.read_string(archive.read(f"{info}/entry_points.txt").decode())
    scripts = dict(entry_points["console_scripts"])
    require(scripts == {"toolcell": "toolcell.cli:main"}, f"the scripts are {scripts}")


def check_worker(worker: bytes, machine: int) -> None:
    """A 64-bit ELF executable at fixed addresses that needs no loader: a VM's memory means the same in each."""
    require(worker[:6] == b"\x7fELF\x02\x01", "the worker is not a little-endian 64-bit ELF file")
    kind, found_machine = struct.unpack_from("<HH", worker, 16)
    require(kind == ET_EXEC, f"the worker's ELF type is {kind}, expected {ET_EXEC}: it is not position-dependent")
    require(found_machine == machine, f"the worker's machine is {found_machine}, the tag wants {machine}")
    (table,) = struct.unpack_from("<Q", worker, 32)
    size, count = struct.unpack_from("<HH", worker, 54)
    segments = {struct.unpack_from("<I", worker, table + index * size)[0] for index in range(count)}
    require(not segments & {PT_INTERP, PT_DYNAMIC}, "the worker is not statically linked")


def check_sdist(sdist: Path) -> None:
    """All sources, and nothing that is not under version control."""
    top = f"{project()['name']}-{project()['version']}/"
    with tarfile.open(sdist) as archive:
        found = {member.name.removeprefix(top) for member in archive if member.isfile()}
    needed = {path for path in tracked() if path.startswith(SDIST_FOLDERS)} | SDIST_FILES
    require(found >= needed, f"missing in the source distribution: {sorted(needed - found)}")
    stray = found - tracked() - {"PKG-INFO"}
    require(not stray, f"too much in the source distribution: {sorted(stray)}")


def check_build(sdist: Path, wheel: Path) -> None:
    """A wheel built from the source distribution alone has the same files."""
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(sdist) as archive:
            archive.extractall(folder, filter="data")
        source = only(Path(folder), "*")
        out = Path(folder) / "dist"
        command = [sys.executable, "-m", "maturin", "build", "--release", "--quiet", "--out", str(out)]
        command += ["--target-dir", str(ROOT / "target")]
        require(subprocess.run(command, cwd=source).returncode == 0, f"{sdist.name} does not build")
        with zipfile.ZipFile(only(out, "*.whl")) as built, zipfile.ZipFile(wheel) as original:
            found, expected = sorted(built.namelist()), sorted(original.namelist())
    require(found == expected, f"the source distribution builds {found}, the wheel has {expected}")


if __name__ == "__main__":
    sys.exit(main())
