"""PutRecords and PutRecordBatch as the real services answer them.

moto 5.2.5 loses acknowledged records when two requests reach one shard at the same time,
scans the whole shard to find its last sequence number, and checks only the old Kinesis
limits and none of Firehose's. It looks for a stream's ARN in the caller's account only, and
knows neither dry runs nor a stream's own settings: its maximum record size, and AUTO, with
which it distributes records by itself. `install()` replaces its functions with the ones below.

A stream's name can request faults, counted per service and stream:

    NAME-throttle-N   the first N requests fail every record
    NAME-partial-N    the first N requests fail every second record
    NAME-http503-N    the first N requests are answered 503 as a whole
"""

import binascii
import collections
import re
import threading
import uuid
from base64 import b64decode

from moto.core.exceptions import JsonRESTError
from moto.firehose.exceptions import InvalidArgumentException
from moto.firehose.models import DeliveryStream, FirehoseBackend
from moto.kinesis.exceptions import RecordSizeExceedsLimit
from moto.kinesis.models import KinesisBackend, Shard, Stream, kinesis_backends
from moto.kinesis.responses import KinesisResponse

KIB, MIB = 1 << 10, 1 << 20
RECORDS_PER_REQUEST = 500
KINESIS_RECORD_BYTES = KINESIS_REQUEST_BYTES = 10 * MIB
FIREHOSE_RECORD_BYTES, FIREHOSE_REQUEST_BYTES = 1000 * KIB, 4 * MIB

FAULT = re.compile(r"-(throttle|partial|http503)-(\d+)(?:-|$)")

# Held during every put, from its first check to its last record.
put_lock = threading.RLock()
requests_seen = collections.Counter()
firehose_put_record_batch = FirehoseBackend.put_record_batch
answer_put_records = KinesisResponse.put_records
stream_summary = Stream.to_json_summary


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


def set_up(stream, maximum_kib, strategy):
    """Gives a new stream its settings."""
    stream.maximum_kib, stream.strategy = int(maximum_kib), strategy


def set_strategy(stream, strategy):
    with put_lock:
        stream.strategy = strategy


def distributes(stream):
    return getattr(stream, "strategy", "") == "AUTO"


def maximum_bytes(stream):
    return getattr(stream, "maximum_kib", 10 * KIB) * KIB


def summary(self):
    answer = stream_summary(self)
    settings = answer["StreamDescriptionSummary"]
    settings["MaxRecordSizeInKiB"] = maximum_bytes(self) // KIB
    settings["RecordDistributionStrategy"] = (
        "AUTO" if distributes(self) else "USER_PARTITION_KEY"
    )
    return answer


def kinesis_record_size(record, needs_key=True):
    """Bytes of one record as Kinesis counts them: data and partition key."""
    key = record.get("PartitionKey", "")
    has_key = "PartitionKey" in record or needs_key
    if not isinstance(key, str) or has_key and not 1 <= len(key) <= 256:
        raise refused("ValidationException", "A partition key has 1 to 256 characters.")
    try:
        data = b64decode(record.get("Data", ""), validate=True)
    except binascii.Error:
        raise refused("SerializationException", "Data is not base64.") from None
    return len(data) + len(key.encode())


def check_kinesis_limits(stream, records):
    if not 1 <= len(records) <= RECORDS_PER_REQUEST:
        raise refused("ValidationException", "A request has 1 to 500 records.")
    needs_key = not distributes(stream)
    sizes = [kinesis_record_size(record, needs_key) for record in records]
    if max(sizes) > KINESIS_RECORD_BYTES:
        raise refused("InvalidArgumentException", "A record exceeds 10 MiB.")
    maximum = maximum_bytes(stream)
    for number, size in enumerate(sizes, 1):
        if size > maximum:
            error = RecordSizeExceedsLimit(number)
            text = error.message.replace("1048576", str(maximum))
            raise refused("ValidationException", text)
    if sum(sizes) > KINESIS_REQUEST_BYTES:
        raise refused("InvalidArgumentException", "The request exceeds 10 MiB.")


def backend_of_stream(self):
    """The backend of the account that a stream's ARN names, else the caller's own."""
    arn = self._get_param("StreamARN")
    account = arn.split(":")[4] if arn else self.current_account
    return kinesis_backends[account][self.region]


def answer_put_records_or_dry_run(self):
    if not self._get_param("DryRun"):
        return answer_put_records(self)
    stream = self.kinesis_backend.describe_stream(
        self._get_param("StreamARN"), self._get_param("StreamName")
    )
    check_kinesis_limits(stream, self._get_param("Records"))
    raise refused("DryRunOperationException", "The request would have succeeded.")


def put_record(stream, record):
    """Stores one record; returns its sequence number and its shard."""
    if not distributes(stream):
        key, data = record["PartitionKey"], record["Data"]
        return stream.put_record(key, record.get("ExplicitHashKey"), data)
    number, shard = stream.put_record(str(uuid.uuid4()), None, record["Data"])
    stored = stream.shards[shard].records[int(number)]
    stored.partition_key = record.get("PartitionKey", "")
    return number, shard


def put_records(self, stream_arn, stream_name, records):
    with put_lock:
        stream = self.describe_stream(stream_arn=stream_arn, stream_name=stream_name)
        check_kinesis_limits(stream, records)
        fault = next_fault("kinesis", stream.stream_name)
        entries = []
        for index, record in enumerate(records):
            if fails(fault, index):
                code = "ProvisionedThroughputExceededException"
                message = f"Rate exceeded for stream {stream.stream_name}."
                entries.append({"ErrorCode": code, "ErrorMessage": message})
            else:
                number, shard = put_record(stream, record)
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
    KinesisResponse.kinesis_backend = property(backend_of_stream)
    KinesisResponse.put_records = answer_put_records_or_dry_run
    Stream.to_json_summary = summary
    FirehoseBackend.put_record_batch = put_record_batch
    DeliveryStream.MAX_STREAMS_PER_REGION = 10_000
    Shard.get_max_sequence_number = lambda self: next(reversed(self.records), 0)
