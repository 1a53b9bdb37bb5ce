"""Notes signatures for Scripts/canary, as CanaryRun of the test support does; outside of its runs nothing."""

import os

DIRECTORY = os.environ.get("RECORDER_TEST_KEEP")


def note(authorization):
    """Adds a request's Authorization header to the run's notes."""
    if DIRECTORY and authorization:
        with open(os.path.join(DIRECTORY, "notes"), "a") as notes:
            notes.write(f"authorization {authorization}\n")
