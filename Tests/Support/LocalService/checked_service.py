"""A local Kinesis, Cognito, IAM and STS that checks every call: MiniStack with AUTH on.

    python checked_service.py [--host 127.0.0.1] [--port 0] [--clock-ahead 0]

Checks signatures, their time and permissions down to the stream's ARN, and gives Cognito's
guests keys restricted to their role. Listens on the loopback interface only; prints one
line, `ready PORT {JSON}`, once it accepts connections. The JSON contains:

    poolId    an identity pool that allows guests
    guestRole the ARN of their role
    user      keys of a user with the same permission, as accessKeyId and secretAccessKey
    developer an identity that a backend authenticated, as identityId and token

Both may put records into the stream `guarded`, not into the stream `forbidden`. The user may
also put records into the stream `shared` of the account 111122223333, whose policy says so,
not into its stream `closed`, whose policy says nothing. Only
identities of the pool with a login may put records into the stream `members`: a token of
Facebook, of the OpenID Connect provider `login.example.com`, or of a backend. With
--clock-ahead the service's clock is that many seconds ahead of this machine's, and answers
have no Date header. Exits when its standard input closes.

GET /recorder-test/log answers with the requests so far, see request_log.py.
"""

import argparse
import asyncio
import datetime
import json
import os
import socket
import sys
import tempfile
import threading


def parse_arguments():
    parser = argparse.ArgumentParser(description="Local AWS that checks every call.")
    parser.add_argument("--host", choices=["127.0.0.1", "::1"], default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--clock-ahead", type=int, default=0, metavar="SECONDS")
    return parser.parse_args()


options = parse_arguments()

# The environment may contain real credentials: the service must never see them.
for variable in [name for name in os.environ if name.startswith("AWS_")]:
    del os.environ[variable]
family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
listener = socket.create_server((options.host, options.port), family=family)
PORT = listener.getsockname()[1]
AUTHORITY = f"[::1]:{PORT}" if ":" in options.host else f"127.0.0.1:{PORT}"
os.environ.update(
    AUTH="true",
    AWS_EC2_METADATA_DISABLED="true",
    GATEWAY_PORT=str(PORT),
    LOG_LEVEL="ERROR",
    MINISTACK_HOST="127.0.0.1",
)
scratch = tempfile.TemporaryDirectory(prefix="recorder-test-")
os.chdir(scratch.name)

import boto3  # noqa: E402
import ministack.app  # noqa: E402
from hypercorn.asyncio import serve  # noqa: E402
from hypercorn.config import Config  # noqa: E402
from ministack.core import iam_actions, sigv4  # noqa: E402
from ministack.core.responses import error_response_json, request_scope  # noqa: E402
from ministack.services import kinesis as kinesis_service  # noqa: E402

import binary  # noqa: E402
from request_log import RequestLog  # noqa: E402

REGION = "us-east-1"
OTHER_ACCOUNT = "111122223333"


def set_clock_ahead(seconds):
    check = sigv4.request_time_failure

    def check_by_another_clock(signature, *, now=None):
        now = now or datetime.datetime.now(datetime.timezone.utc)
        return check(signature, now=now + datetime.timedelta(seconds=seconds))

    # Each check looks this function up again.
    sigv4.request_time_failure = check_by_another_clock


def read_resources_in_cbor():
    """MiniStack 1.5.33 decodes requests in CBOR, but looks for the stream that a policy is about
    as if they were JSON, and fails."""
    read = iam_actions._safe_json_field

    def read_either(body, field):
        if body[:1] >= b"\x80":
            try:
                body = json.dumps(binary.decoded(body)).encode()
            except ValueError:
                return ""
        return read(body, field)

    iam_actions._safe_json_field = read_either


def put_by_arn_and_dry_run():
    """MiniStack 1.5.33 checks the policies of another account's stream, but then looks for the
    stream in the caller's account, and it does not know dry runs."""
    put = kinesis_service._put_records

    def put_in_account(data):
        if not data.get("DryRun"):
            return put(data)
        name, stream = kinesis_service._resolve_stream(data)
        if not stream:
            return put(data)
        code, text = "DryRunOperationException", "The request would have succeeded."
        return error_response_json(code, text, 400)

    def put_records(data):
        arn = data.get("StreamARN")
        if not arn:
            return put_in_account(data)
        with request_scope(*kinesis_service._kinesis_arn_scope(arn)):
            return put_in_account(data)

    kinesis_service._put_records = put_records


def client(service, account="test"):
    return boto3.client(
        service,
        region_name=REGION,
        endpoint_url=f"http://{AUTHORITY}",
        aws_access_key_id=account,
        aws_secret_access_key="test",
    )


def set_up():
    """Creates what the tests need, through the service's public API."""
    kinesis, iam = client("kinesis"), client("iam")
    for stream in "guarded", "forbidden", "members":
        kinesis.create_stream(StreamName=stream, ShardCount=1)
    policy = put_policy(kinesis, "guarded")

    user = iam.create_user(UserName="user")["User"]["Arn"]
    iam.put_user_policy(UserName="user", PolicyName="put", PolicyDocument=policy)
    iam.put_user_policy(
        UserName="user", PolicyName="other", PolicyDocument=share_streams_with(user)
    )
    key = iam.create_access_key(UserName="user")["AccessKey"]

    pools = client("cognito-identity")
    pool = create_pool(pools)
    guest = create_role(iam, "guest", policy)
    member = create_role(iam, "member", put_policy(kinesis, "members"))
    pools.set_identity_pool_roles(
        IdentityPoolId=pool, Roles={"unauthenticated": guest, "authenticated": member}
    )
    return {
        "poolId": pool,
        "guestRole": guest,
        "user": {
            "accessKeyId": key["AccessKeyId"],
            "secretAccessKey": key["SecretAccessKey"],
        },
        "developer": developer_identity(pools, pool),
    }


def put_policy(kinesis, stream):
    found = kinesis.describe_stream_summary(StreamName=stream)
    permission = statement("kinesis:PutRecords")
    permission["Resource"] = found["StreamDescriptionSummary"]["StreamARN"]
    return json.dumps({"Version": "2012-10-17", "Statement": [permission]})


def share_streams_with(user):
    """Makes the streams of another account; returns the user's policy for them."""
    kinesis = client("kinesis", OTHER_ACCOUNT)
    arns = []
    for stream in "shared", "closed":
        kinesis.create_stream(StreamName=stream, ShardCount=1)
        arns.append(f"arn:aws:kinesis:{REGION}:{OTHER_ACCOUNT}:stream/{stream}")
    shared = statement("kinesis:PutRecords")
    shared |= {"Sid": "shared", "Principal": {"AWS": user}, "Resource": arns[0]}
    kinesis.put_resource_policy(
        ResourceARN=arns[0],
        Policy=json.dumps({"Version": "2012-10-17", "Statement": [shared]}),
    )
    permission = statement("kinesis:PutRecords") | {"Resource": arns}
    return json.dumps({"Version": "2012-10-17", "Statement": [permission]})


def create_pool(pools):
    return pools.create_identity_pool(
        IdentityPoolName="guests and members",
        AllowUnauthenticatedIdentities=True,
        SupportedLoginProviders={"graph.facebook.com": "application"},
        OpenIdConnectProviderARNs=[
            "arn:aws:iam::000000000000:oidc-provider/login.example.com"
        ],
        DeveloperProviderName="login.backend",
    )["IdentityPoolId"]


def create_role(iam, name, policy):
    trust = statement("sts:AssumeRoleWithWebIdentity")
    trust["Principal"] = {"Federated": "cognito-identity.amazonaws.com"}
    role = iam.create_role(
        RoleName=name,
        AssumeRolePolicyDocument=json.dumps(
            {"Version": "2012-10-17", "Statement": [trust]}
        ),
    )["Role"]["Arn"]
    iam.put_role_policy(RoleName=name, PolicyName="put", PolicyDocument=policy)
    return role


def developer_identity(pools, pool):
    """What a backend gets from GetOpenIdTokenForDeveloperIdentity, which MiniStack lacks."""
    token = "a-token-of-the-backend"
    logins = {"cognito-identity.amazonaws.com": token}
    identity = pools.get_id(IdentityPoolId=pool, Logins=logins)["IdentityId"]
    return {"identityId": identity, "token": token}


def statement(action):
    return {"Effect": "Allow", "Action": action}


def end_with_standard_input():
    while sys.stdin.buffer.read(1024):
        pass
    scratch.cleanup()
    os._exit(0)


def get_ready():
    made = set_up()
    set_clock_ahead(options.clock_ahead)
    print(f"ready {PORT} {json.dumps(made)}", flush=True)


def main():
    threading.Thread(target=end_with_standard_input, daemon=True).start()
    config = Config()
    # Bound above, so that no other process gets the port in between.
    config.bind = [f"fd://{listener.fileno()}"]
    config.errorlog = None
    config.loglevel = "CRITICAL"
    config.include_date_header = options.clock_ahead == 0
    read_resources_in_cbor()
    put_by_arn_and_dry_run()
    threading.Thread(target=get_ready, daemon=True).start()
    asyncio.run(serve(RequestLog(ministack.app.app), config))


if __name__ == "__main__":
    main()
