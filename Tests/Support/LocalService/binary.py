"""Kinesis requests in CBOR, which moto 5.2.5 does not understand: decoded here by cbor2, for moto
to read as JSON, and moto's answers encoded as the AWS SDK for Java would: maps and lists without
a length, ended by a break.

With access checks on, moto refuses these requests: the signature is that of the CBOR.
"""

import gzip
import io
import json
import struct
from base64 import b64encode

import cbor2

CONTENT_TYPE = "application/x-amz-cbor-1.1"
JSON_CONTENT_TYPE = "application/x-amz-json-1.1"
BREAK = b"\xff"


def is_binary(environ):
    return environ.get("CONTENT_TYPE", "") == CONTENT_TYPE


def decoded(body):
    """The request that CBOR encodes, with bytes as base64 text as in JSON. Raises ValueError."""
    try:
        stream = io.BytesIO(body)
        request = cbor2.load(stream)
    except cbor2.CBORDecodeError as error:
        raise ValueError(str(error)) from error
    if stream.tell() != len(body) or type(request) is not dict:
        raise ValueError("The body is not one map.")
    return as_json(request)


def as_json(value):
    match value:
        case bytes():
            return b64encode(value).decode()
        case dict():
            return {key: as_json(item) for key, item in value.items()}
        case list():
            return [as_json(item) for item in value]
    return value


def encoded(value):
    """Bytes that cbor2 decodes to the same value."""
    match value:
        case dict():
            pairs = (encoded(key) + encoded(item) for key, item in value.items())
            return b"\xbf" + b"".join(pairs) + BREAK
        case list():
            return b"\x9f" + b"".join(map(encoded, value)) + BREAK
        case str():
            text = value.encode()
            if len(text) < 24:
                return bytes([0x60 + len(text)]) + text
            if len(text) < 256:
                return struct.pack(">BB", 0x78, len(text)) + text
            return struct.pack(">BH", 0x79, len(text)) + text
    return cbor2.dumps(value)


class BinaryRequests:
    """A WSGI application around moto's: passes requests in CBOR on as JSON, and answers in CBOR."""

    def __init__(self, moto_app):
        self.moto_app = moto_app

    def __call__(self, environ, start_response):
        if not is_binary(environ):
            return self.moto_app(environ, start_response)
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        try:
            if environ.pop("HTTP_CONTENT_ENCODING", "") == "gzip":
                body = gzip.decompress(body)
            text = json.dumps(decoded(body)).encode()
        except (ValueError, OSError) as error:
            refusal = {"__type": "SerializationException", "message": str(error)}
            return self.answer("400 Bad Request", [], refusal, start_response)
        environ["wsgi.input"] = io.BytesIO(text)
        environ["CONTENT_LENGTH"] = str(len(text))
        environ["CONTENT_TYPE"] = JSON_CONTENT_TYPE
        started = []

        def note_start(status, headers, exc_info=None):
            started.append((status, headers))

        answer = b"".join(self.moto_app(environ, note_start))
        status, headers = started[-1]
        return self.answer(status, headers, json.loads(answer), start_response)

    def answer(self, status, headers, value, start_response):
        body = encoded(value)
        # The encoder above is this module's own.
        assert cbor2.loads(body) == value
        replaced = ("content-type", "content-length")
        kept = [(name, text) for name, text in headers if name.lower() not in replaced]
        kept += [("Content-Type", CONTENT_TYPE), ("Content-Length", str(len(body)))]
        start_response(status, kept)
        return [body]
