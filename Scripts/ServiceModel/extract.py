"""What the generator needs of botocore: names, types, limits and rules, but no documentation and no messages.

    .venv/bin/python Scripts/ServiceModel/extract.py

adds AWS's new regions to regions.json. For new operations, hosts or regions, change botocore's version in
Tests/Support/LocalService/requirements.txt, run this, `make generate`, and record.py and record_endpoints.py for the tests.
"""

import json
import pathlib

import botocore.session
from botocore.loaders import Loader

HERE = pathlib.Path(__file__).parent
# Without what the user of this machine has set or added.
LOADER = Loader(extra_search_paths=[Loader.BUILTIN_DATA_PATH], include_default_search_paths=False)
SESSION = botocore.session.get_session()
SESSION.register_component("data_loader", LOADER)

# Its answer is an event stream, a different protocol from all others.
LEFT_OUT = {"SubscribeToShard"}


def describe_service(service):
    """The description of a service: its operations, errors, enumerations and structures."""
    model = SESSION.get_service_model(service)
    # The shapes as the model has them: botocore's own leave out whose fault an error is.
    written = LOADER.load_service_model(service, "service-2")["shapes"]
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
        if written[shape.name].get("sensitive"):
            described["sensitive"] = True
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
        } | endpoint_parameters(operation)
        for shape in operation.error_shapes:
            errors[shape.name] = "server" if written[shape.name].get("fault") else "client"
    return {
        "targetPrefix": model.metadata["targetPrefix"],
        "operations": operations,
        "errors": errors,
        "enums": enums,
        "shapes": shapes,
    }


def endpoint_parameters(operation):
    """What an operation gives to the rules for hosts: values of its own, and members of its input."""
    values = {parameter.name: parameter.value for parameter in operation.static_context_parameters}
    members = {parameter.name: parameter.member_name for parameter in operation.context_parameters}
    # The rules read other inputs through expressions, which no operation of these services has.
    assert not operation.operation_context_parameters, operation.name
    return {name: found for name, found in (("endpointValues", values), ("endpointMembers", members)) if found}


def endpoint_rules(service):
    """The rules for the hosts of a service."""
    rules = LOADER.load_service_model(service, "endpoint-rule-set-1")
    parameters = {
        name: {key: value for key, value in parameter.items() if key != "documentation"}
        for name, parameter in rules["parameters"].items()
    }
    return {"parameters": parameters, "rules": [bare_rule(rule) for rule in rules["rules"]]}


def bare_rule(rule):
    """A rule without documentation and, if it is an error, without its message."""
    bare = {"type": rule["type"], "conditions": rule["conditions"]}
    if rule["type"] == "tree":
        return bare | {"rules": [bare_rule(inner) for inner in rule["rules"]]}
    if rule["type"] == "endpoint":
        assert not rule["endpoint"].get("headers"), rule
        return bare | {"endpoint": rule["endpoint"]}
    return bare


def regions(known):
    """The names of all regions with their descriptions: those already known in their order, then the new ones."""
    found = {
        name: region["description"]
        for partition in LOADER.load_data("partitions")["partitions"]
        for name, region in partition["regions"].items()
        # Not a region that a client is used in.
        if not name.endswith("-global")
    }
    missing = known.keys() - found.keys()
    assert not missing, f"Regions that programs may name are gone: {missing}"
    return known | found


def partitions():
    """The partitions, without their regions."""
    return [
        {key: value for key, value in partition.items() if key != "regions"}
        for partition in LOADER.load_data("partitions")["partitions"]
    ]


if __name__ == "__main__":
    file = HERE / "regions.json"
    file.write_text(json.dumps(regions(json.loads(file.read_text())), indent=2, ensure_ascii=False) + "\n")
