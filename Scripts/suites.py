#!/usr/bin/env python3
"""What `RECORDER_ONLY` is set to so that only some suites are built: Scripts/suites.py TARGET.SUITES...

SUITES is the start of a regular expression for their names. A suite is in files of its name, as in Suite.swift and Suite+Part.swift.
With these come the files of the target that are no suite's.
"""

import re
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent / "Tests"


def only(targets):
    """`targets` has an expression for each target."""
    words = []
    for target, suites in targets.items():
        root = next(TESTS.glob(f"*/{target}"))
        files = sorted(path.relative_to(root) for path in root.rglob("*.swift"))
        kept = [it for it in files if not re.search("Tests[+.]", it.name) or re.match(suites, it.name.split(".")[0].split("+")[0])]
        words.append(f"{target}:{','.join(map(str, kept))}")
    return " ".join(words)


def targets_of(pattern):
    """The targets of the suites that `swift test --filter` finds, with an expression for each."""
    # Rows are in extensions of one suite.
    targets = {"StoreFaultTests": [""]} if "FaultRows" in pattern else {}
    for path in TESTS.rglob("*Tests.swift"):
        target, suite = path.relative_to(TESTS).parts[1], path.stem
        if re.search(pattern, f"{target}.{suite}/"):
            targets.setdefault(target, []).append(suite)
    return {target: "|".join(found) for target, found in targets.items()}


if __name__ == "__main__":
    targets = {}
    for word in sys.argv[1:]:
        target, suites = word.split(".", 1)
        targets[target] = f"{targets[target]}|{suites}" if target in targets else suites
    print(only(targets))
