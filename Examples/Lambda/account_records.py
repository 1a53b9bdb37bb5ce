"""A Lambda function for a Kinesis stream that skips records which came before, and names those that are missing.

Records saved without a partition key have keys that say which record of which store they are. What was read is kept in a
DynamoDB table, whose name is in ACCOUNTS_TABLE and whose partition key is the string `account`. Aggregated records are
read with AWS's library aws-kinesis-agg if it is packed with the function; without it they would be taken for one record.
"""

import base64
import os
import re

import boto3
from boto3.dynamodb.conditions import Attr

try:
    from aws_kinesis_agg.deaggregator import deaggregate_records
except ImportError:
    deaggregate_records = list

KEY = re.compile("[0-9A-F]{8}-[0-9A-F]{4}-8[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}")


class RecordAccounting:
    """What was read of each store. `states` maps STORE/STREAM to numbers, in at most 1,000 bytes: the ordinal below which
    nothing is known, then in turn how many ordinals were not seen and how many were. Swift's RecordAccounting writes the same.
    """

    def __init__(self, states=None):
        self.floors, self.seen = {}, {}
        for name, text in (states or {}).items():
            self.floors[name], *counts = map(int, text.split())
            end, self.seen[name] = self.floors[name], []
            for missing, seen in zip(counts[::2], counts[1::2]):
                self.seen[name].append([end + missing, end + missing + seen])
                end += missing + seen

    @staticmethod
    def identity(key):
        """STORE/STREAM and the record's ordinal; None for a key that names no record."""
        digits = key.replace("-", "") if KEY.fullmatch(key) else ""
        store = digits[:12] + digits[13:16]
        stream = digits and (int(digits[16:22], 16) & 0x3FFFFF or 1 << 22)
        return (f"{store}/{stream}", int(digits[22:], 16)) if store.strip("0") else None

    def add(self, name, ordinal):
        """"new", "repeated", or "undetermined" if the ordinal is below all that is known. Gives up the gaps with the lowest
        ordinals until the text has 1,000 bytes at most."""
        ranges = self.seen.setdefault(name, [])
        if ordinal < self.floors.setdefault(name, 0):
            return "undetermined"
        index = next((i for i in range(len(ranges), 0, -1) if ranges[i - 1][0] <= ordinal), 0)
        if index and ordinal < ranges[index - 1][1]:
            return "repeated"
        ranges.insert(index, [ordinal, ordinal + 1])
        for left in (index, index - 1):
            if 0 <= left < len(ranges) - 1 and ranges[left][1] == ranges[left + 1][0]:
                ranges[left][1] = ranges.pop(left + 1)[1]
        # 37 ranges fit, whatever their numbers.
        while len(ranges) > 37 and len(self.text(name)) > 1000:
            print(f"given up: records {ranges[0][1]} to {ranges[1][0] - 1} of {name}")
            self.floors[name] = ranges.pop(0) and ranges[0][0]
        return "new"

    def text(self, name):
        """The numbers of a store and stream."""
        ends = [self.floors[name]] + [end for _, end in self.seen[name]]
        counts = [(first - end, last - first) for end, (first, last) in zip(ends, self.seen[name])]
        return " ".join(map(str, [self.floors[name], *sum(counts, ())]))

    def gaps(self, name):
        """The ordinals between those that were seen, as ranges of the first and the last one."""
        ranges = self.seen[name]
        return [(left[1], right[0] - 1) for left, right in zip(ranges, ranges[1:])]

    @property
    def states(self):
        return {name: self.text(name) for name in self.seen}


def process(data, finding):
    """What the function is for. `finding` is None for a record of another producer."""
    print(finding, data)


def handler(event, context):
    """Reads a batch. If it fails, Lambda calls it again with the same records, which are new until they are noted."""
    table = boto3.resource("dynamodb").Table(os.environ["ACCOUNTS_TABLE"])
    batches = {}
    for record in deaggregate_records(event["Records"]):
        key, data = record["kinesis"]["partitionKey"], base64.b64decode(record["kinesis"]["data"])
        identity = RecordAccounting.identity(key)
        if identity:
            batches.setdefault(identity[0], []).append((identity[1], data))
        else:
            process(data, None)
    for name, records in batches.items():
        accounting = load(table, name)[0]
        for ordinal, data in records:
            finding = accounting.add(name, ordinal)
            if finding != "repeated":
                process(data, finding)
        note(table, name, [ordinal for ordinal, _ in records])


def load(table, name):
    """What the table says of a store, and its text; None if it says nothing."""
    item = table.get_item(Key={"account": name}, ConsistentRead=True).get("Item")
    state = item["state"] if item else None
    return RecordAccounting({name: state} if state else {}), state


def note(table, name, ordinals):
    """Adds ordinals to what the table says of a store. Functions for other shards may change it at the same time."""
    while True:
        accounting, state = load(table, name)
        for ordinal in ordinals:
            accounting.add(name, ordinal)
        unchanged = Attr("state").eq(state) if state else Attr("state").not_exists()
        try:
            return table.put_item(Item={"account": name, "state": accounting.states[name]}, ConditionExpression=unchanged)
        except table.meta.client.exceptions.ConditionalCheckFailedException:
            continue
