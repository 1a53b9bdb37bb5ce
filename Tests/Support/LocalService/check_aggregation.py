"""Reads and writes aggregated Kinesis records, for tests that compare another implementation with it.

Written from the published format (aggregation-format.md of amazon-kinesis-producer) and from
protobuf's encoding, independently of the engine's, with the standard library only.

Standard input, JSON: {"read": [base64, ...], "write": [[record, ...], ...]}

A record is {"partitionKey": text, "explicitHashKey": text, "data": base64}; one without an explicit
hash key has null there, or lacks the member.

Standard output, JSON: {"read": [[record, ...] or null, ...], "written": [base64, ...]}. What is not
an aggregated record, or a damaged one, is null. Each list is written twice: as the Kinesis
Producer Library does, and in an unusual form: tables after the records, no key shared, with
tags and fields that the format does not have.
"""

import hashlib
import json
import sys
from base64 import b64decode, b64encode

MAGIC = b"\xf3\x89\x9a\xc2"
DIGEST = 16
VARINT, EIGHT, BYTES, GROUP, GROUP_END, FOUR = 0, 1, 2, 3, 4, 5
DEEPEST_GROUP = 100


class Damaged(Exception):
    pass


# MARK: reading


def varint(data, at):
    value = 0
    for count in range(10):
        if at + count >= len(data):
            raise Damaged
        value += (data[at + count] & 127) * 128**count
        if data[at + count] < 128:
            break
    else:
        raise Damaged
    # What is above 64 bits is ignored.
    return value % 2**64, at + count + 1


def field_at(data, at, depth=0):
    """The number, the wire type and the value of a field, which is None for a group and its end, and where the next one is."""
    tag, start = varint(data, at)
    number, kind = divmod(tag, 8)
    if not 0 < number < 2**29 or start - at > 5 or depth > DEEPEST_GROUP:
        raise Damaged
    if kind == VARINT:
        value, at = varint(data, start)
        return number, kind, value, at
    if kind == GROUP:
        inner, at = None, start
        while inner != GROUP_END:
            ended, inner, _, at = field_at(data, at, depth + 1)
        if ended != number:
            raise Damaged
        return number, kind, None, at
    if kind == GROUP_END and depth > 0:
        return number, kind, None, start
    if kind == BYTES:
        size, start = varint(data, start)
    elif kind in (EIGHT, FOUR):
        size = 8 if kind == EIGHT else 4
    else:
        raise Damaged
    if start + size > len(data):
        raise Damaged
    return number, kind, data[start : start + size], start + size


def fields(data):
    """Pairs of (number, wire type) and value."""
    at = 0
    while at < len(data):
        number, kind, value, at = field_at(data, at)
        yield (number, kind), value


def pick(table, index):
    if index >= len(table):
        raise Damaged
    return table[index].decode("utf8", "replace")


def read(data):
    message, digest = data[len(MAGIC) : -DIGEST], data[-DIGEST:]
    if not data.startswith(MAGIC) or not message or len(data) <= len(MAGIC) + DIGEST:
        return None
    if hashlib.md5(message, usedforsecurity=False).digest() != digest:
        return None
    try:
        parts = list(fields(message))
        keys = [value for kind, value in parts if kind == (1, BYTES)]
        hashes = [value for kind, value in parts if kind == (2, BYTES)]
        records = []
        for members in (list(fields(value)) for kind, value in parts if kind == (3, BYTES)):
            record, tags = dict(members), [value for kind, value in members if kind == (4, BYTES)]
            if not all((1, BYTES) in dict(fields(tag)) for tag in tags):
                raise Damaged
            if (1, VARINT) not in record or (3, BYTES) not in record:
                raise Damaged
            records.append(
                {
                    "partitionKey": pick(keys, record[1, VARINT]),
                    "explicitHashKey": pick(hashes, record[2, VARINT]) if (2, VARINT) in record else None,
                    "data": b64encode(record[3, BYTES]).decode(),
                }
            )
        return records
    except Damaged:
        return None


# MARK: writing


def encoded(value):
    parts = bytearray()
    while value > 127:
        parts.append(value % 128 + 128)
        value //= 128
    return bytes(parts) + bytes([value])


def field(number, value):
    if isinstance(value, int):
        return encoded(number * 8 + VARINT) + encoded(value)
    return encoded(number * 8 + BYTES) + encoded(len(value)) + value


def write(records, unusual):
    tables = {1: [], 2: []}

    def index(number, key):
        table, key = tables[number], key.encode()
        if unusual or key not in table:
            table.append(key)
            return len(table) - 1
        return table.index(key)

    body = b""
    for record in records:
        parts = [field(1, index(1, record["partitionKey"]))]
        if record.get("explicitHashKey") is not None:
            parts.append(field(2, index(2, record["explicitHashKey"])))
        parts.append(field(3, b64decode(record["data"])))
        if unusual:
            parts = [field(1, 2**64 - 1), *reversed(parts), field(4, field(1, b"tag")), field(70, 2**64 - 1)]
            parts.append(encoded(5 * 8 + FOUR) + b"four" + encoded(6 * 8 + EIGHT) + b"eight...")
        body += field(3, b"".join(parts))
    heads = b"".join(field(number, key) for number in (1, 2) for key in tables[number])
    message = body + field(9, b"unknown") + heads if unusual else heads + body
    return MAGIC + message + hashlib.md5(message, usedforsecurity=False).digest()


if __name__ == "__main__":
    job = json.load(sys.stdin)
    answer = {
        "read": [read(b64decode(text)) for text in job["read"]],
        "written": [
            b64encode(write(records, unusual)).decode() for records in job["write"] for unusual in (False, True)
        ],
    }
    json.dump(answer, sys.stdout)
