"""Signatures and permissions as the real services check and refuse them.

moto 5.2.5 answers a failed check with IAM's XML; Kinesis and Firehose answer with JSON,
with codes that clients distinguish. Two calls that AWS accepts unsigned are allowed. moto's
keys for Cognito's guests belong to no role; here they belong to one.
"""

import json
import time

from moto import settings
from moto.cognitoidentity.models import CognitoIdentityBackend, cognitoidentity_backends
from moto.core import DEFAULT_ACCOUNT_ID
from moto.core.authorization import ActionAuthenticatorMixin
from moto.core.exceptions import JsonRESTError
from moto.iam.access_control import IAMRequest
from moto.iam.models import iam_backends
from moto.sts.models import sts_backends

REGION = "us-east-1"
GUEST_SECONDS = 3600

authorize = ActionAuthenticatorMixin._authenticate_and_authorize_action


def authorize_unless_public(self, request_class, resource="*"):
    signed = "Authorization" in self.headers
    if not signed and self._get_action() == "AssumeRoleWithWebIdentity":
        return None
    return authorize(self, request_class, resource)


def refuses_with(code, message):
    def refuse(self, *details):
        raise JsonRESTError(code, message)

    return refuse


def install():
    """Replaces moto's answers to failed checks, inside this process only."""
    ActionAuthenticatorMixin.PUBLIC_OPERATIONS.append(
        "AWSCognitoIdentityService.GetCredentialsForIdentity"
    )
    ActionAuthenticatorMixin._authenticate_and_authorize_action = (
        authorize_unless_public
    )
    IAMRequest._raise_signature_does_not_match = refuses_with(
        "InvalidSignatureException", "The signature of the request does not match."
    )
    IAMRequest._raise_invalid_access_key = refuses_with(
        "UnrecognizedClientException", "The security token in the request is invalid."
    )
    IAMRequest._raise_access_denied = refuses_with(
        "AccessDeniedException", "The user is not authorized to perform the action."
    )


def create_user(name, actions):
    """Creates an IAM user allowed to do `actions` on every resource; returns its keys."""
    iam = iam_backends[DEFAULT_ACCOUNT_ID]["aws"]
    iam.create_user(REGION, name)
    if actions:
        iam.put_user_policy(name, "recorder-test", allowing(actions))
    key = iam.create_access_key(name)
    return {"accessKeyId": key.access_key_id, "secretAccessKey": key.secret_access_key}


def allowing(actions):
    allow = {"Effect": "Allow", "Action": actions, "Resource": "*"}
    return json.dumps({"Version": "2012-10-17", "Statement": [allow]})


def create_pool():
    """Creates an identity pool whose guests may put records; returns its ID."""
    iam = iam_backends[DEFAULT_ACCOUNT_ID]["aws"]
    role = iam.create_role("guest", "{}", "/", None, "", {}, GUEST_SECONDS)
    actions = ["kinesis:PutRecord*", "firehose:PutRecord*"]
    iam.put_role_policy(role.name, "recorder-test", allowing(actions))

    def guest_keys(self, identity_id):
        session = sts_backends[DEFAULT_ACCOUNT_ID]["aws"].assume_role(
            region_name=REGION,
            role_session_name="CognitoIdentityCredentials",
            role_arn=role.arn,
            policy=None,
            duration=GUEST_SECONDS,
            external_id=None,
        )
        keys = {
            "AccessKeyId": session.access_key_id,
            "SecretKey": session.secret_access_key,
            "SessionToken": session.session_token,
            "Expiration": time.time() + GUEST_SECONDS,
        }
        return json.dumps({"IdentityId": identity_id, "Credentials": keys})

    CognitoIdentityBackend.get_credentials_for_identity = guest_keys
    unused = dict.fromkeys(
        [
            "developer_provider_name",
            "supported_login_providers",
            "open_id_connect_provider_arns",
            "cognito_identity_providers",
            "saml_provider_arns",
            "tags",
        ]
    )
    pools = cognitoidentity_backends[DEFAULT_ACCOUNT_ID][REGION]
    made = pools.create_identity_pool("guests", True, **unused)
    return json.loads(made)["IdentityPoolId"]


def enforce():
    """Checks every call from now on. Returns the keys of two users, of whom one may call
    Kinesis, Firehose and S3 and the other nothing, and the ID of an identity pool."""
    made = {
        "allowed": create_user("allowed", ["kinesis:*", "firehose:*", "s3:*"]),
        "denied": create_user("denied", []),
        "poolId": create_pool(),
    }
    settings.INITIAL_NO_AUTH_ACTION_COUNT = 0
    return made
