"""Records signatures for Scripts/canary, as CanaryRun in RecorderTestSupport does; does nothing in other runs."""

import os

DIRECTORY = os.environ.get("RECORDER_TEST_KEEP")


def note(authorization):
    """Appends a request's Authorization header to the run's `notes` file."""
    if DIRECTORY and authorization:
        with open(os.path.join(DIRECTORY, "notes"), "a") as notes:
            notes.write(f"authorization {authorization}\n")
