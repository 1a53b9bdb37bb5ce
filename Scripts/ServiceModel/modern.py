"""KinesisClient and FirehoseClient: their operations, inputs, outputs and types."""

from swift import BASIC, camel, case, comment, grouped, imported, limits

# Both services have these; in one module they live inside the types of their service.
SHARED = {"PutRecordInput", "PutRecordOutput"}


def files(service):
    """Text by file name: one file an operation, and the parts of structures in groups."""
    made = {}
    for operation in service.operations:
        made[f"{service.name}{operation}.swift"] = imported(operation_file(service, operation))
    for group, names in grouped(service, service.parts + list(service.enums)).items():
        text = "\n".join(part(service, name) for name in names)
        made[f"{service.name}ClientTypes+{group}.swift"] = imported(text)
    made[f"{service.name}ClientTypes.swift"] = (
        f"/// The structures and enumerations inside the inputs and outputs of ``{service.name}Client``.\n"
        f"public enum {service.name}ClientTypes {{}}\n"
    )
    return made


def operation_file(service, operation):
    method = camel(operation)
    described = service.operations[operation]
    errors = sorted(described["errors"])
    place = f"{service.name}ClientTypes"

    def name(end):
        return f"{place}.{operation}{end}" if operation + end in SHARED else operation + end

    text = f"extension {service.name}Client {{\n"
    text += comment(f"Calls `{operation}`. The service model knows these errors of it: {sentence(errors)}.") + "\n"
    text += (
        f"public func {method}(input: {name('Input')}) async throws -> {name('Output')} {{\n"
        f'try await calls.call("{operation}", input)\n}}\n}}\n\n'
    )
    for end, summary in (("Input", "takes"), ("Output", "gives")):
        about = f"/// What ``{service.name}Client/{method}(input:)`` {summary}."
        text += structure(service, described[end.lower()], operation + end, about, operation + end in SHARED) + "\n"
    return text


def sentence(names):
    return ", ".join(f"``{n}``" for n in names) or "none"


def part(service, name):
    if name in service.enums:
        return enumeration(service, name)
    return structure(service, name, name, f"/// `{name}` of the service model.", True)


def structure(service, shape, name, about, nested):
    members = service.members(shape) if shape else []
    place = f"{service.name}ClientTypes"
    lines = [f"extension {place} {{"] if nested else []
    lines += [about, f"public struct {name}: Sendable, Equatable {{"]
    for wire, member in members:
        lines += [limits(wire, member), f"public var {camel(wire)}: {kind(service, member)}?", ""]
    parameters = ", ".join(f"{camel(w)}: {kind(service, m)}? = nil" for w, m in members)
    lines += ["/// What is left out is not sent." if members else "/// It has no members."]
    lines += [f"public init({parameters}) {{"] + [f"self.{camel(w)} = {camel(w)}" for w, _ in members] + ["}", "}"]
    lines += ["}"] if nested else []
    full = f"{place}.{name}" if nested else name
    lines += ["", f"extension {full}: WireShape {{", f"package static func blank() -> Self {{ Self() }}", ""]
    lines += ["package mutating func code(_ fields: WireFields) {"]
    lines += [f'fields("{w}", &{camel(w)})' for w, _ in members] + ["}", "}", ""]
    return "\n".join(lines)


def kind(service, member):
    """The Swift type of a member, without the question mark."""
    if "list" in member:
        return f"[{named(service, member['list'])}]"
    if "map" in member:
        return f"[String: {named(service, member['map'])}]"
    return named(service, member["type"])


def named(service, name):
    return BASIC.get(name) or f"{service.name}ClientTypes.{name}"


def enumeration(service, name):
    words = sorted(service.enums[name])
    lines = [f"extension {service.name}ClientTypes {{", f"/// `{name}` of the service model."]
    lines += [f"public enum {name}: Sendable, Hashable, CaseIterable, RawRepresentable {{"]
    for word in words:
        lines += [f"/// `{word}`.", f"case {case(word)}"]
    lines += ["/// A word that the service model does not know.", "case sdkUnknown(String)", ""]
    cases = ", ".join(f".{case(word)}" for word in words)
    lines += ["/// The words that the service model knows.", f"public static var allCases: [Self] {{ [{cases}] }}", ""]
    lines += ["/// The value for a word on the wire; never nil.", "public init?(rawValue: String) {", "switch rawValue {"]
    lines += [f'case "{word}": self = .{case(word)}' for word in words]
    lines += ["default: self = .sdkUnknown(rawValue)", "}", "}", ""]
    lines += ["/// The word on the wire.", "public var rawValue: String {", "switch self {"]
    lines += [f'case .{case(word)}: "{word}"' for word in words]
    lines += ["case .sdkUnknown(let word): word", "}", "}", "}", "}", ""]
    lines += [f"extension {service.name}ClientTypes.{name}: WireValue {{}}", ""]
    return "\n".join(lines)


def errors(services):
    """The errors of both services, in two files beside their table: the same code means the same."""
    names = sorted({name for service in services for name in service.errors})
    table = "/// The errors that the service models know, by their code on the wire.\n"
    table += "let modeledErrors: [String: any ModeledError.Type] = [\n"
    table += "".join(f'"{name}": {name}.self,\n' for name in names) + "]\n"
    half = [n for n in names if n < "L"], [n for n in names if n >= "L"]
    halves = ["import Foundation\n\n" + "\n".join(error(services, name) for name in part) for part in half]
    return {"ModeledErrors.swift": table, "ModeledErrors+A-K.swift": halves[0], "ModeledErrors+L-Z.swift": halves[1]}


def error(services, name):
    users = " and ".join(s.name for s in services if name in s.errors)
    return f"""/// `{name}` of {users}.
public struct {name}: ModeledError, Equatable {{
/// `{name}`.
public static let typeName = "{name}"
/// The service's text.
public var message: String?
/// What AWS support asks for.
public var requestID: String?
/// The HTTP status of the answer.
public var statusCode: Int?

/// An error as it would come from the service.
public init(message: String? = nil, requestID: String? = nil, statusCode: Int? = nil) {{
self.message = message
self.requestID = requestID
self.statusCode = statusCode
}}
}}
"""
