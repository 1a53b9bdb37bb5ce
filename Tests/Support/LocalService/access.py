"""Signatures and permissions as the real services check and refuse them.

moto 5.2.5 answers a failed check with IAM's XML; Kinesis and Firehose answer with JSON,
with codes that clients distinguish. Two calls that AWS accepts unsigned are allowed.
"""

import json

from moto import settings
from moto.core import DEFAULT_ACCOUNT_ID
from moto.core.authorization import ActionAuthenticatorMixin
from moto.core.exceptions import JsonRESTError
from moto.iam.access_control import IAMRequest
from moto.iam.models import iam_backends

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
    iam.create_user("us-east-1", name)
    if actions:
        allow = {"Effect": "Allow", "Action": actions, "Resource": "*"}
        policy = {"Version": "2012-10-17", "Statement": [allow]}
        iam.put_user_policy(name, "recorder-test", json.dumps(policy))
    key = iam.create_access_key(name)
    return {"accessKeyId": key.access_key_id, "secretAccessKey": key.secret_access_key}


def enforce():
    """Checks every call from now on; returns the keys of two users: one may call Kinesis,
    Firehose and S3, the other may call nothing."""
    users = {
        "allowed": create_user("allowed", ["kinesis:*", "firehose:*", "s3:*"]),
        "denied": create_user("denied", []),
    }
    settings.INITIAL_NO_AUTH_ACTION_COUNT = 0
    return users
