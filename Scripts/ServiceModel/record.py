"""Writes the recordings of the round-trip tests: a request and an answer of botocore for each operation.

    .venv/bin/python Scripts/ServiceModel/record.py

botocore's serializer makes the bodies, with every member of the model set to a different value, and its parser must
read the answer back. The files have one line per operation. Run this after extract.py.
"""

import datetime
import json
import pathlib

import botocore.parsers
import botocore.serialize
import botocore.session

import extract

FOLDER = pathlib.Path(__file__).parent.parent.parent / "Tests/Compatibility/AWSKinesisTests/Recordings"
INSTANT = datetime.datetime(2026, 11, 20, 12, 0, 0, tzinfo=datetime.timezone.utc)


class Sample:
    """Values for shapes, all different as far as their types allow."""

    def __init__(self):
        self.count = 0

    def value(self, shape):
        self.count += 1
        n = self.count
        kind = shape.type_name
        if kind == "structure":
            return {name: self.value(member) for name, member in shape.members.items()}
        if kind == "list":
            return [self.value(shape.member) for _ in range(2)]
        if kind == "map":
            return {f"key {n}": self.value(shape.value)}
        if kind == "string":
            enum = getattr(shape, "enum", None)
            return enum[n % len(enum)] if enum else f'text "{n}" \\ ключ\n'
        return {
            "blob": bytes([n % 256, 0, 255]),
            "boolean": n % 2 == 0,
            "integer": n,
            "long": n << 40,
            "double": n + 0.5,
            "timestamp": INSTANT + datetime.timedelta(seconds=n),
        }[kind]


def recordings(service):
    """A request and an answer for each operation of a service."""
    model = botocore.session.get_session().get_service_model(service)
    serializer = botocore.serialize.create_serializer("json", include_validation=False)
    parser = botocore.parsers.create_parser("json")
    sample = Sample()
    for name in sorted(set(model.operation_names) - extract.LEFT_OUT):
        operation = model.operation_model(name)
        request = serializer.serialize_to_request(sample.value(operation.input_shape), operation)
        answer = {}
        if operation.output_shape:
            value = sample.value(operation.output_shape)
            serializer._serialize(answer, value, operation.output_shape)
            read = parser.parse({"status_code": 200, "headers": {}, "body": json.dumps(answer).encode()}, operation.output_shape)
            del read["ResponseMetadata"]
            assert read == value, name
        yield {
            "operation": name,
            "target": request["headers"]["X-Amz-Target"],
            "request": json.loads(request["body"]),
            "answer": answer,
        }


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for service in ("kinesis", "firehose"):
        lines = [json.dumps(it, ensure_ascii=False, separators=(",", ":")) for it in recordings(service)]
        (FOLDER / f"{service}.json").write_text("[\n" + ",\n".join(lines) + "\n]\n")
