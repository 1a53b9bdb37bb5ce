"""Signs a request with botocore, for tests that compare another signer with it.

Standard input, JSON:

    method, url, headers (list of [name, value]), body (base64), region, service,
    timestamp (seconds since 1970), accessKeyId, secretAccessKey, sessionToken (optional)

Standard output, JSON: the three stages: canonicalRequest, stringToSign, authorization.
A JSON list of requests gives a list of answers, so one start serves many.
"""

import datetime
import json
import sys
from base64 import b64decode
from unittest import mock

import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials


def sign(order):
    request = AWSRequest(
        method=order["method"],
        url=order["url"],
        data=b64decode(order["body"]),
    )
    for name, text in order["headers"]:
        request.headers.add_header(name, text)
    credentials = Credentials(
        order["accessKeyId"], order["secretAccessKey"], order.get("sessionToken")
    )
    signer = botocore.auth.SigV4Auth(credentials, order["service"], order["region"])
    stages = {}
    for stage in "canonical_request", "string_to_sign":
        record_stage(signer, stage, stages)
    moment = datetime.datetime.fromtimestamp(order["timestamp"], datetime.timezone.utc)
    with mock.patch("botocore.auth.get_current_datetime", return_value=moment):
        signer.add_auth(request)
    return {
        "canonicalRequest": stages["canonical_request"],
        "stringToSign": stages["string_to_sign"],
        "authorization": request.headers["Authorization"],
    }


def record_stage(signer, name, stages):
    """Notes what the signer's method returns while it signs."""
    compute = getattr(signer, name)

    def recording(*arguments):
        stages[name] = compute(*arguments)
        return stages[name]

    setattr(signer, name, recording)


if __name__ == "__main__":
    orders = json.load(sys.stdin)
    answer = [sign(order) for order in orders] if type(orders) is list else sign(orders)
    json.dump(answer, sys.stdout)
