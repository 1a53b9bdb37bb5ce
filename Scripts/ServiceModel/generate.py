"""Writes the Swift of the service clients and of the services' hosts from botocore's descriptions of the services.

    .venv/bin/python Scripts/ServiceModel/generate.py            # `make generate`
    .venv/bin/python Scripts/ServiceModel/generate.py --check    # fails if the generated files are not up to date

All of it is in folders called Generated, which hold nothing else.
"""

import filecmp
import pathlib
import shutil
import subprocess
import sys
import tempfile

import endpoints
import legacy
import modern
import swift
import test_tables
from model import SERVICES

ROOT = pathlib.Path(__file__).parent.parent.parent
ENDPOINTS = "Sources/RecorderAWS/Endpoint/Generated"
REGIONS = "Sources/RecorderConfiguration/Configuration/Generated"
ERRORS = "Sources/AWSServiceClients/Generated"
MODERN = {service.name: f"Sources/AWS{service.name}Client/Generated" for service in SERVICES}
LEGACY = "Sources/MobileServiceClients/Generated"
TESTS = "Tests/Compatibility/AWSKinesisTests/Generated"
FOLDERS = [ENDPOINTS, REGIONS, ERRORS, *MODERN.values(), LEGACY, TESTS]


def generated_files():
    """The text of every generated file, by its path."""
    files = {
        f"{ENDPOINTS}/ServiceHosts.swift": endpoints.rules_file(SERVICES),
        f"{REGIONS}/AWSRegionType.swift": endpoints.region_file(),
        f"{ERRORS}/ModeledErrors.swift": modern.errors_file(SERVICES),
        f"{TESTS}/Operations+Tables.swift": test_tables.file(SERVICES),
    }
    for service in SERVICES:
        files |= {f"{MODERN[service.name]}/{name}": text for name, text in modern.files(service).items()}
        files |= {f"{LEGACY}/{service.name}/{name}": text for name, text in legacy.files(service).items()}
    return files


def write(root):
    """Writes all files below a folder, formatted."""
    for path, text in generated_files().items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(swift.HEADER + text)
    command = ["swift", "format", "--in-place", "--parallel", "--recursive", "--configuration", str(ROOT / ".swift-format")]
    subprocess.run(command + [str(root / folder) for folder in FOLDERS], check=True)


def differences(generated, current):
    """Paths of the files that are not the same in both folders."""
    paths = {path.relative_to(folder) for folder in (generated, current) for path in folder.rglob("*.swift")}

    def differs(path):
        both = generated / path, current / path
        return not all(file.exists() for file in both) or not filecmp.cmp(*both, shallow=False)

    return sorted(str(path) for path in paths if differs(path))


def main(arguments):
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch)
        write(root)
        if "--check" in arguments:
            stale = [f"{folder}/{path}" for folder in FOLDERS for path in differences(root / folder, ROOT / folder)]
            if stale:
                sys.exit("not up to date; run `make generate`:\n  " + "\n  ".join(stale))
            return
        for folder in FOLDERS:
            shutil.rmtree(ROOT / folder, ignore_errors=True)
            shutil.copytree(root / folder, ROOT / folder)


main(sys.argv[1:])
