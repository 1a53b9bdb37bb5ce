"""Signs a request with botocore, for tests that compare another signer with it.

Standard input, JSON:

    method, url, headers (list of [name, value]), body (base64), region, service,
    timestamp (seconds since 1970), accessKeyId, secretAccessKey, sessionToken (optional)

Standard output, JSON: the three stages: canonicalRequest, stringToSign, authorization.
A JSON list of requests gives a list of answers, so that one process serves many.
"""

import datetime
import json
import sys
from base64 import b64decode
from unittest import mock

import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials


def sign(job):
    request = AWSRequest(
        method=job["method"],
        url=job["url"],
        data=b64decode(job["body"]),
    )
    for name, text in job["headers"]:
        request.headers.add_header(name, text)
    credentials = Credentials(
        job["accessKeyId"], job["secretAccessKey"], job.get("sessionToken")
    )
    signer = botocore.auth.SigV4Auth(credentials, job["service"], job["region"])
    stages = {}
    for stage in "canonical_request", "string_to_sign":
        record_stage(signer, stage, stages)
    moment = datetime.datetime.fromtimestamp(job["timestamp"], datetime.timezone.utc)
    with mock.patch("botocore.auth.get_current_datetime", return_value=moment):
        signer.add_auth(request)
    return {
        "canonicalRequest": stages["canonical_request"],
        "stringToSign": stages["string_to_sign"],
        "authorization": request.headers["Authorization"],
    }


def record_stage(signer, name, stages):
    """Stores the result of the signer's method while it signs."""
    compute = getattr(signer, name)

    def recording(*arguments):
        stages[name] = compute(*arguments)
        return stages[name]

    setattr(signer, name, recording)


if __name__ == "__main__":
    jobs = json.load(sys.stdin)
    answer = [sign(job) for job in jobs] if type(jobs) is list else sign(jobs)
    json.dump(answer, sys.stdout)
