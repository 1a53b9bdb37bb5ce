"""Shows what changes when an application of the AWS SDK for iOS moves to this package.

    port.py             prints the difference between Examples/Port/Before and Examples/Port/After
    port.py --accept    writes it to Examples/Port/README.md

Ends with the number of changed lines. `make examples` checks that the difference in
Examples/Port/README.md is this one, and that it has fewer than 10 changed lines.
"""

import argparse
import difflib
import pathlib
import re
import sys

PORT = pathlib.Path(__file__).resolve().parent.parent / "Examples/Port"
PAGE = PORT / "README.md"
BLOCK = re.compile(r"(?<=^```diff\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
LIMIT = 10


def files(side):
    return {path.name: path.read_text().splitlines(True) for path in (PORT / side).iterdir()}


def difference():
    before, after = files("Before"), files("After")
    return "".join(
        line
        for name in sorted(before | after)
        for line in difflib.unified_diff(
            before.get(name, []), after.get(name, []), f"Before/{name}", f"After/{name}", n=1
        )
    )


def changed_lines(difference):
    return len(re.findall(r"^(?:\+(?!\+\+ )|-(?!-- ))", difference, re.MULTILINE))


def complaint():
    """What is wrong with the difference on the page, or None."""
    found = difference()
    if BLOCK.findall(PAGE.read_text()) != [found]:
        return f"{PAGE} does not show the difference: run Scripts/port.py --accept"
    if not 0 < changed_lines(found) < LIMIT:
        return f"{PORT}: {changed_lines(found)} changed lines; there should be fewer than {LIMIT}"
    return None


def main():
    parser = argparse.ArgumentParser(description="Show the difference of Examples/Port.")
    parser.add_argument("--accept", action="store_true")
    found = difference()
    if parser.parse_args().accept:
        PAGE.write_text(BLOCK.sub(lambda _: found, PAGE.read_text()))
    print(found, end="")
    lines = sum(len(text) for text in files("Before").values())
    print(f"{changed_lines(found)} changed lines of {lines}")


if __name__ == "__main__":
    sys.exit(main())
