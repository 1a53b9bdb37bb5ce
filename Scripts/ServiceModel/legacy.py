"""AWSKinesis and AWSFirehose: their operations as tasks and with completion handlers, and their model classes."""

import re

from swift import camel, case, comment, grouped, imported, limits

# The operations that the AWS SDK for iOS had in 2.13; the others are KinesisClient's alone.
KINESIS = """
AddTagsToStream CreateStream DecreaseStreamRetentionPeriod DeleteStream DescribeLimits DescribeStream
DescribeStreamSummary DisableEnhancedMonitoring EnableEnhancedMonitoring GetRecords GetShardIterator
IncreaseStreamRetentionPeriod ListShards ListStreams ListTagsForStream MergeShards PutRecord PutRecords
RemoveTagsFromStream SplitShard StartStreamEncryption StopStreamEncryption UpdateShardCount
""".split()

BASIC = {
    "string": "String?",
    "blob": "Data?",
    "timestamp": "Date?",
    "boolean": "NSNumber?",
    "integer": "NSNumber?",
    "long": "NSNumber?",
    "double": "NSNumber?",
}


def files(service):
    """Text by file name: one file an operation, and the parts of structures in groups."""
    operations = [o for o in service.operations if service.name != "Kinesis" or o in KINESIS]
    reached = parts(service, operations)
    written, made = set(), {}
    for operation in operations:
        text = operation_file(service, operation, written)
        made[f"AWS{service.name}{operation}.swift"] = imports(text) + text
    for group, names in grouped(service, reached).items():
        text = "\n".join(part(service, name) for name in names)
        made[f"AWS{service.name}Model+{group}.swift"] = imports(text) + text
    return made


def imports(text):
    # AWSCore brings Foundation with it.
    lines = ["public import AWSCore"] if re.search(r"AWSModel|AWSRequest", text) else ["import AWSCore"]
    lines += ["package import RecorderAWS"] if "WireFields" in text else []
    return "\n".join(lines) + "\n\n"


def parts(service, operations):
    """The structures and enumerations that these operations' inputs and outputs are made of."""
    found = set()

    def visit(name):
        for member in service.shapes.get(name, {}).values():
            inner = member.get("list") or member.get("type")
            # A list of words is a list of strings in the original.
            if inner in found or (inner in service.enums and "list" in member):
                continue
            if inner in service.shapes or inner in service.enums:
                found.add(inner)
                visit(inner)

    for operation in operations:
        for end in ("input", "output"):
            visit(service.operations[operation][end])
    return sorted(found)


def operation_file(service, operation, written):
    described = service.operations[operation]
    method, client = camel(operation), f"AWS{service.name}"
    request = f"{client}{described['input']}"
    output = f"{client}{described['output']}" if described["output"] else None
    result = f"AWSTask<{output or 'AnyObject'}>"
    handler = f"({output}?, (any Error)?) -> Void" if output else "((any Error)?) -> Void"
    errors = ", ".join(f"`{name}`" for name in sorted(described["errors"]))
    outcome = "The task's result is nil." if not output else f"Gives an ``{output}``."
    summary = comment(f"Calls `{operation}`. {outcome} The service model knows these errors of it: {errors}.")
    text = f"""extension {client} {{
{summary}
@discardableResult
public func {method}(_ request: {request}) -> {result} {{
tasks.task("{operation}", request)
}}

/// Calls `{operation}` and tells how it ended, on a thread of its own.
public func {method}(_ request: {request}, completionHandler: ({handler})?) {{
{method}(request).report(to: completionHandler)
}}
}}

"""
    for end, base, verb in (("input", "AWSRequest", "takes"), ("output", "AWSModel", "gives")):
        shape = described[end]
        if shape and shape not in written:
            written.add(shape)
            text += structure(service, shape, base, f"/// What ``{client}/{method}(_:)`` {verb}.") + "\n"
    return text


def part(service, name):
    if name in service.enums:
        return enumeration(service, name)
    return structure(service, name, "AWSModel", f"/// `{name}` of the service model.")


def structure(service, shape, base, summary):
    members = [(w, m) for w, m in service.shapes[shape].items()]
    members.sort(key=lambda m: name(m[0]).lower())
    lines = [summary, f"public final class AWS{service.name}{shape}: {base} {{"]
    for wire, member in members:
        lines += [limits(wire, member), f"public var {name(wire)}: {kind(service, member)}"]
    lines += ["}", "", f"extension AWS{service.name}{shape}: WireShape {{"]
    lines += ["package func code(_ fields: WireFields) {"]
    lines += [f'{coder(member)}("{w}", &{name(w)})' for w, member in members]
    return "\n".join(lines + ["}", "}", ""])


def name(wire):
    """A property's name: the first letter is small unless the second is a capital, and no name starts with "new"."""
    wire = re.sub("^New(?=[A-Z])", "Latest", wire)
    return wire if wire[1:2].isupper() else wire[:1].lower() + wire[1:]


def coder(member):
    return "fields.flag" if member.get("type") == "boolean" else "fields"


def kind(service, member):
    if "list" in member:
        inner = member["list"]
        return f"[AWS{service.name}{inner}]?" if inner in service.shapes else "[String]?"
    if "map" in member:
        return "[String: String]?"
    if member["type"] in service.enums:
        return f"AWS{service.name}{member['type']} = .unknown"
    return BASIC.get(member["type"]) or f"AWS{service.name}{member['type']}?"


def enumeration(service, shape):
    words = service.enums[shape]
    lines = [f"/// `{shape}` of the service model.", f"public enum AWS{service.name}{shape}: Int, Sendable {{"]
    lines += ["/// None, or a word that this list does not hold; it is not sent.", "case unknown = 0"]
    for word in words:
        lines += [f"/// `{word}`.", f"case {case(word)}"]
    listed = ", ".join(f'"{word}"' for word in words)
    lines += ["}", "", f"extension AWS{service.name}{shape}: WireCode {{"]
    lines += [f"package static let words = [{listed}]", "}", ""]
    return "\n".join(lines)
