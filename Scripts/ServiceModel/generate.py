"""Writes the Swift of the service clients from kinesis.json and firehose.json.

    python3 Scripts/ServiceModel/generate.py            # `make generate`
    python3 Scripts/ServiceModel/generate.py --check    # fails if what is checked in differs

What it writes lies in folders called Generated, and nothing else does.
"""

import filecmp
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import legacy
import modern
import swift
import tables

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
FOLDERS = ["Sources/RecorderAWS/Generated", "Sources/AWSKinesis/Generated", "Tests/Compatibility/AWSKinesisTests/Generated"]


def load(name):
    return swift.Service(name, json.loads((HERE / f"{name.lower()}.json").read_text()))


def write(root):
    services = [load("Kinesis"), load("Firehose")]
    files = {}
    for service in services:
        for folder, made in zip(FOLDERS, (modern.files(service), legacy.files(service))):
            files |= {f"{folder}/{service.name}/{name}": text for name, text in made.items()}
    files |= {f"{FOLDERS[0]}/{name}": text for name, text in modern.errors(services).items()}
    files[f"{FOLDERS[2]}/Operations+Tables.swift"] = tables.file(services)
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(swift.HEADER + text)
    configuration = ROOT / ".swift-format"
    folders = [str(root / folder) for folder in FOLDERS]
    command = ["swift", "format", "--in-place", "--parallel", "--recursive", "--configuration", str(configuration)]
    subprocess.run(command + folders, check=True)


def differences(made, kept):
    """Files that are not the same in both folders, by path."""
    paths = {p.relative_to(folder) for folder in (made, kept) for p in folder.rglob("*.swift")}
    return sorted(
        str(p)
        for p in paths
        if not ((made / p).exists() and (kept / p).exists() and filecmp.cmp(made / p, kept / p, shallow=False))
    )


with tempfile.TemporaryDirectory() as scratch:
    root = pathlib.Path(scratch)
    write(root)
    if "--check" in sys.argv[1:]:
        stale = [f"{folder}/{path}" for folder in FOLDERS for path in differences(root / folder, ROOT / folder)]
        if stale:
            sys.exit("not up to date; run `make generate`:\n  " + "\n  ".join(stale))
    else:
        for folder in FOLDERS:
            shutil.rmtree(ROOT / folder, ignore_errors=True)
            shutil.copytree(root / folder, ROOT / folder)
