"""Extracts what the generator needs from botocore's service models: names, types and limits, but no documentation.

    .venv/bin/python Scripts/ServiceModel/extract.py

Writes kinesis.json and firehose.json beside this file. Run it when a service has new operations; then `make generate`.
"""

import json
import pathlib

import botocore.session

HERE = pathlib.Path(__file__).parent

# Its answer is an event stream, a different protocol from all others.
LEFT_OUT = {"SubscribeToShard"}


def describe_service(service):
    """The description of a service, as it is stored."""
    model = botocore.session.get_session().get_service_model(service)
    shapes, enums, errors = {}, {}, {}

    def visit(shape):
        """The type of a member: a basic type, or the name of a structure or an enumeration, which is visited too."""
        kind = shape.type_name
        if kind == "list":
            return {"list": visit(shape.member)["type"]}
        if kind == "map":
            return {"map": visit(shape.value)["type"]}
        if kind == "structure":
            if shape.name not in shapes:
                shapes[shape.name] = {}
                for name, member in shape.members.items():
                    shapes[shape.name][name] = describe(shape, name, member)
            return {"type": shape.name}
        if getattr(shape, "enum", None):
            enums[shape.name] = list(shape.enum)
            return {"type": shape.name}
        return {"type": kind}

    def describe(parent, name, shape):
        """A member of a structure: its type, whether it is required, its limits."""
        described = visit(shape)
        if name in parent.required_members:
            described["required"] = True
        limits = shape.metadata
        if "min" in limits or "max" in limits:
            described["range"] = [limits.get("min"), limits.get("max")]
        return described

    operations = {}
    for name in model.operation_names:
        if name in LEFT_OUT:
            continue
        operation = model.operation_model(name)
        for shape in (operation.input_shape, operation.output_shape):
            if shape is not None:
                visit(shape)
        operations[name] = {
            "input": operation.input_shape.name,
            "output": operation.output_shape.name if operation.output_shape else None,
            "errors": [shape.name for shape in operation.error_shapes],
        }
        for shape in operation.error_shapes:
            errors[shape.name] = sorted(shape.members)
    return {
        "targetPrefix": model.metadata["targetPrefix"],
        "operations": operations,
        "errors": errors,
        "enums": enums,
        "shapes": shapes,
    }


def compact(value, depth=0):
    """JSON with one line per operation and per member of a shape, so that changes are easy to review."""
    if depth == 3 or not isinstance(value, dict) or not value:
        return json.dumps(value)
    pad = "  " * (depth + 1)
    lines = [f"{pad}{json.dumps(key)}: {compact(value[key], depth + 1)}" for key in value]
    return "{\n" + ",\n".join(lines) + "\n" + "  " * depth + "}"


if __name__ == "__main__":
    for service in ("kinesis", "firehose"):
        (HERE / f"{service}.json").write_text(compact(describe_service(service)) + "\n")
