"""PutRecords and PutRecordBatch as the real services answer them.

moto 5.2.5 loses acknowledged records when two requests reach one shard at the same time,
scans the whole shard to find its last sequence number, and checks only the old Kinesis
limits and none of Firehose's. `install()` replaces its functions with the ones below.

A stream's name can request faults, counted per service and stream:

    NAME-throttle-N   the first N requests fail every record
    NAME-partial-N    the first N requests fail every second record
    NAME-http503-N    the first N requests are answered 503 as a whole
"""

import binascii
import collections
import re
import threading
from base64 import b64decode

from moto.core.exceptions import JsonRESTError
from moto.firehose.exceptions import InvalidArgumentException
from moto.firehose.models import DeliveryStream, FirehoseBackend
from moto.kinesis.models import KinesisBackend, Shard

KIB, MIB = 1 << 10, 1 << 20
RECORDS_PER_REQUEST = 500
KINESIS_RECORD_BYTES = KINESIS_REQUEST_BYTES = 10 * MIB
FIREHOSE_RECORD_BYTES, FIREHOSE_REQUEST_BYTES = 1000 * KIB, 4 * MIB

FAULT = re.compile(r"-(throttle|partial|http503)-(\d+)(?:-|$)")

# Held during every put, from its first check to its last record.
put_lock = threading.RLock()
requests_seen = collections.Counter()
firehose_put_record_batch = FirehoseBackend.put_record_batch


class Unavailable(JsonRESTError):
    code = 503

    def __init__(self):
        super().__init__("ServiceUnavailableException", "The service is unavailable.")


def refused(code, message):
    return JsonRESTError(code, message)


def next_fault(service, stream):
    """The fault to inject into this request to the stream, or None."""
    wanted = FAULT.search(stream)
    if not wanted:
        return None
    requests_seen[service, stream] += 1
    if requests_seen[service, stream] > int(wanted[2]):
        return None
    if wanted[1] == "http503":
        raise Unavailable()
    return wanted[1]


def fails(fault, index):
    return fault == "throttle" or (fault == "partial" and index % 2 == 1)


def kinesis_record_size(record):
    """Bytes of one record as Kinesis counts them: data and partition key."""
    key = record.get("PartitionKey", "")
    if not isinstance(key, str) or not 1 <= len(key) <= 256:
        raise refused("ValidationException", "A partition key has 1 to 256 characters.")
    try:
        data = b64decode(record.get("Data", ""), validate=True)
    except binascii.Error:
        raise refused("SerializationException", "Data is not base64.") from None
    return len(data) + len(key.encode())


def check_kinesis_limits(records):
    if not 1 <= len(records) <= RECORDS_PER_REQUEST:
        raise refused("ValidationException", "A request has 1 to 500 records.")
    sizes = [kinesis_record_size(record) for record in records]
    if max(sizes) > KINESIS_RECORD_BYTES:
        raise refused("InvalidArgumentException", "A record exceeds 10 MiB.")
    if sum(sizes) > KINESIS_REQUEST_BYTES:
        raise refused("InvalidArgumentException", "The request exceeds 10 MiB.")


def put_records(self, stream_arn, stream_name, records):
    with put_lock:
        stream = self.describe_stream(stream_arn=stream_arn, stream_name=stream_name)
        check_kinesis_limits(records)
        fault = next_fault("kinesis", stream.stream_name)
        entries = []
        for index, record in enumerate(records):
            if fails(fault, index):
                code = "ProvisionedThroughputExceededException"
                message = f"Rate exceeded for stream {stream.stream_name}."
                entries.append({"ErrorCode": code, "ErrorMessage": message})
            else:
                number, shard = stream.put_record(
                    record["PartitionKey"],
                    record.get("ExplicitHashKey"),
                    record["Data"],
                )
                entries.append({"SequenceNumber": number, "ShardId": shard})
        failed = sum("ErrorCode" in entry for entry in entries)
        return {"FailedRecordCount": failed, "Records": entries}


def check_firehose_limits(records):
    sizes = [len(record["Data"]) for record in records]
    if not 1 <= len(sizes) <= RECORDS_PER_REQUEST:
        raise InvalidArgumentException("A request has 1 to 500 records.")
    if max(sizes) > FIREHOSE_RECORD_BYTES:
        raise InvalidArgumentException("A record exceeds 1,000 KiB.")
    if sum(sizes) > FIREHOSE_REQUEST_BYTES:
        raise InvalidArgumentException("The request exceeds 4 MiB.")


def put_record_batch(self, delivery_stream_name, records):
    with put_lock:
        self.describe_delivery_stream(delivery_stream_name)
        check_firehose_limits(records)
        fault = next_fault("firehose", delivery_stream_name)
        failing = [fails(fault, index) for index in range(len(records))]
        stored = [record for record, fail in zip(records, failing) if not fail]
        delivered = iter(())
        if stored:
            answer = firehose_put_record_batch(self, delivery_stream_name, stored)
            delivered = iter(answer["RequestResponses"])
        error = {
            "ErrorCode": "ServiceUnavailableException",
            "ErrorMessage": "Slow down.",
        }
        entries = [dict(error) if fail else next(delivered) for fail in failing]
        return {
            "FailedPutCount": sum(failing),
            "Encrypted": False,
            "RequestResponses": entries,
        }


def install():
    """Replaces moto's put calls, inside this process only."""
    KinesisBackend.put_records = put_records
    FirehoseBackend.put_record_batch = put_record_batch
    DeliveryStream.MAX_STREAMS_PER_REGION = 10_000
    Shard.get_max_sequence_number = lambda self: next(reversed(self.records), 0)
