"""Decodes and encodes CBOR with cbor2, for tests that compare another implementation with it.

Standard input, JSON: {"decode": [base64, ...], "encode": [tree, ...]}

Standard output, JSON: {"decoded": [tree, ...], "encoded": [base64, ...]}. Bytes in decoded
trees are {"bytes": base64}. Each tree is encoded twice: with lengths, and without.
"""

import json
import sys
from base64 import b64decode, b64encode

import cbor2


def plain(value):
    match value:
        case bytes():
            return {"bytes": b64encode(value).decode()}
        case dict():
            return {key: plain(item) for key, item in value.items()}
        case list():
            return [plain(item) for item in value]
    return value


if __name__ == "__main__":
    job = json.load(sys.stdin)
    answer = {
        "decoded": [plain(cbor2.loads(b64decode(text))) for text in job["decode"]],
        "encoded": [
            b64encode(cbor2.dumps(tree, indefinite_containers=indefinite)).decode()
            for tree in job["encode"]
            for indefinite in (False, True)
        ],
    }
    json.dump(answer, sys.stdout)
