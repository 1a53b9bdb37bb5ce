"""Aggregates and separates Kinesis records with AWS's library for Python (aws-kinesis-agg).

    aggregation_oracle.py read          entries from standard input, fingerprints of their records to standard output
    aggregation_oracle.py findings      the same, after the number of each entry's records; 2^32 - 1 if it is not aggregated
    aggregation_oracle.py write N SEED  about N records in entries, with their fingerprints, to standard output

An entry is its partition key and its data, each after its length as four bytes, big-endian. A fingerprint is the MD5 of
a record in that form. `write` prints each entry, the number of its records in four bytes, and their fingerprints.

`read` ends with an error if a record of an entry belongs to another shard than the entry, which the Kinesis Client
Library would discard: its hash key, its own or else the MD5 of its partition key, is not the MD5 of the entry's key.
"""

import base64
import hashlib
import random
import struct
import sys

import aws_kinesis_agg
from aws_kinesis_agg.aggregator import RecordAggregator, messages_pb2
from aws_kinesis_agg.deaggregator import iter_deaggregate_records
from google.protobuf.message import DecodeError

METADATA = {"kinesisSchemaVersion": "1.0", "sequenceNumber": "1", "approximateArrivalTimestamp": 0}


def framed(data):
    return struct.pack(">I", len(data)) + data


def fingerprint(key, data):
    return hashlib.md5(framed(key) + framed(data)).digest()


def parts(stream):
    while head := stream.read(4):
        data = stream.read(struct.unpack(">I", head)[0])
        yield data


def read(stream, out):
    source = parts(stream)
    for key, data in zip(source, source):
        record = {"partitionKey": key.decode(), "data": base64.b64encode(data), **METADATA}
        entry_hash = str(int.from_bytes(hashlib.md5(key).digest(), "big"))
        for user in iter_deaggregate_records([{"kinesis": record}]):
            user = user["kinesis"]
            own = user["partitionKey"].encode()
            own_hash = user.get("explicitHashKey") or str(int.from_bytes(hashlib.md5(own).digest(), "big"))
            if own_hash != entry_hash:
                sys.exit("a record belongs to another shard than its entry")
            out.write(fingerprint(own, base64.b64decode(user["data"])))
        out.flush()


def is_whole(data):
    """Whether the data is no aggregated entry, or one that is not complete. The library checks neither that required fields
    are there nor that a hash key exists before it returns the first record."""
    message = data[len(aws_kinesis_agg.MAGIC) : -aws_kinesis_agg.DIGEST_SIZE]
    if data != aws_kinesis_agg.MAGIC + message + hashlib.md5(message).digest() or not message:
        return True
    entry = messages_pb2.AggregatedRecord()
    try:
        entry.ParseFromString(message)
    except DecodeError:
        return True
    keys, hash_keys = len(entry.partition_key_table), len(entry.explicit_hash_key_table)
    return not entry.IsInitialized() or any(
        record.partition_key_index >= keys
        or record.HasField("explicit_hash_key_index")
        and record.explicit_hash_key_index >= hash_keys
        for record in entry.records
    )


def findings(stream, out):
    source = parts(stream)
    for key, data in zip(source, source):
        if is_whole(data):
            out.write(struct.pack(">I", 2**32 - 1))
            continue
        record = {"partitionKey": key.decode(), "data": base64.b64encode(data), **METADATA}
        users = [user["kinesis"] for user in iter_deaggregate_records([{"kinesis": record}])]
        out.write(struct.pack(">I", len(users)))
        for user in users:
            # Bytes if it is not valid UTF-8, which others replace.
            own = user["partitionKey"]
            key_bytes = b"" if isinstance(own, bytes) or "\ufffd" in own else own.encode()
            out.write(fingerprint(key_bytes, base64.b64decode(user["data"])))
    out.flush()


def unicode_key(source):
    def scalar():
        # No surrogates: they are not Unicode scalars.
        code = source.randrange(1, 0x10F800)
        return chr(code if code < 0xD800 else code + 0x800)

    return "".join(scalar() for _ in range(source.randint(1, 40)))


def write(count, seed, out):
    source = random.Random(seed)
    while count > 0:
        keys = [unicode_key(source) for _ in range(source.randint(1, 20))]
        # The library gives the first hash key to records without one, if others of the entry have one: all or none here.
        hash_keys = source.choice([[None], [str(source.randrange(2**128)) for _ in range(3)]])
        aggregator = RecordAggregator()
        prints = []
        for _ in range(source.randint(1, 60)):
            key, data = source.choice(keys), source.randbytes(source.randint(0, 60 * 1024))
            # Not None: the entry is full, and was returned without this record.
            if full := aggregator.add_user_record(key, data, source.choice(hash_keys)):
                break
            prints.append(fingerprint(key.encode(), data))
        key, _, data = (full or aggregator.clear_and_get()).get_contents()
        out.write(framed(key.encode()) + framed(data) + struct.pack(">I", len(prints)) + b"".join(prints))
        count -= len(prints)


def main():
    command, *values = sys.argv[1:]
    if command == "read":
        read(sys.stdin.buffer, sys.stdout.buffer)
    elif command == "findings":
        findings(sys.stdin.buffer, sys.stdout.buffer)
    else:
        write(*map(int, values), sys.stdout.buffer)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
