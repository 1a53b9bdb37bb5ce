"""What a careful Python program does: records in SQLite, sent 500 at a time with boto3, deleted once accepted.

    boto3_drain.py DATABASE ENDPOINT CERTIFICATE COUNT BYTES

Stores COUNT records of BYTES bytes, sends one extra record as a warm-up request, then sends them all. Prints the number of
records a second.
"""

import sqlite3
import sys
import time
import uuid

import boto3
from botocore.config import Config


def open_database(path):
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    database.execute(
        "CREATE TABLE record (id INTEGER PRIMARY KEY, partition_key TEXT NOT NULL, data BLOB NOT NULL)"
    )
    return database


def store(database, count, size):
    data = b"x" * size
    database.execute("BEGIN")
    database.executemany(
        "INSERT INTO record (partition_key, data) VALUES (?, ?)",
        ((str(uuid.uuid4()), data) for _ in range(count)),
    )
    database.execute("COMMIT")
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def drain(database, client):
    sent = 0
    while True:
        rows = database.execute(
            "SELECT id, partition_key, data FROM record ORDER BY id LIMIT 500"
        ).fetchall()
        if not rows:
            return sent
        answer = client.put_records(
            StreamName="benchmark",
            Records=[{"Data": data, "PartitionKey": key} for _, key, data in rows],
        )
        accepted = [
            (row[0],)
            for row, entry in zip(rows, answer["Records"], strict=True)
            if entry.get("SequenceNumber")
        ]
        if len(accepted) == len(rows):
            database.execute("DELETE FROM record WHERE id <= ?", (rows[-1][0],))
        else:
            sys.exit("the sink refused records")
        sent += len(accepted)


def main():
    path, endpoint, certificate, count, size = sys.argv[1:]
    database = open_database(path)
    store(database, int(count), int(size))
    client = boto3.client(
        "kinesis",
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id="AKIDEXAMPLE",
        aws_secret_access_key="secret",
        verify=certificate,
        config=Config(proxies={}),
    )
    client.put_records(StreamName="benchmark", Records=[{"Data": b"first", "PartitionKey": "first"}])
    start = time.monotonic()
    sent = drain(database, client)
    print(sent / (time.monotonic() - start))


if __name__ == "__main__":
    main()
