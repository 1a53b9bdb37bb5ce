"""KinesisClient and FirehoseClient: their operations, inputs, outputs and types."""

import collections
import re

from swift import BASIC, camel, case, limits

# Both services have these; in one module they live inside the types of their service.
SHARED = {"PutRecordInput", "PutRecordOutput"}


def files(service):
    """Text by file name: one file an operation, and the parts of structures in groups."""
    made = {}
    for operation in service.operations:
        made[f"{service.name}{operation}.swift"] = imported(operation_file(service, operation))
    for group, texts in groups(service).items():
        made[f"{service.name}ClientTypes+{group}.swift"] = imported("\n".join(texts))
    made[f"{service.name}ClientTypes.swift"] = (
        f"/// The structures and enumerations inside the inputs and outputs of ``{service.name}Client``.\n"
        f"public enum {service.name}ClientTypes {{}}\n"
    )
    return made


def imported(text):
    """The text, with an import of what its types need."""
    return "public import Foundation\n\n" + text if re.search(r"\b(Data|Date)\?", text) else text


def operation_file(service, operation):
    method = camel(operation)
    described = service.operations[operation]
    errors = sorted(described["errors"])
    place = f"{service.name}ClientTypes"

    def name(end):
        return f"{place}.{operation}{end}" if operation + end in SHARED else operation + end

    text = f"extension {service.name}Client {{\n"
    text += f"/// Calls `{operation}`. The service model knows these errors of it: {sentence(errors)}.\n"
    text += (
        f"public func {method}(input: {name('Input')}) async throws -> {name('Output')} {{\n"
        f'try await calls.call("{operation}", input)\n}}\n}}\n\n'
    )
    for end, summary in (("Input", "takes"), ("Output", "gives")):
        comment = f"/// What ``{service.name}Client/{method}(input:)`` {summary}."
        text += structure(service, described[end.lower()], operation + end, comment, operation + end in SHARED) + "\n"
    return text


def sentence(names):
    return ", ".join(f"``{n}``" for n in names) or "none"


def groups(service):
    """Parts and enumerations by the first word of their name; small groups together."""
    found = collections.defaultdict(list)
    for name in service.parts + sorted(service.enums):
        found[first_word(name)].append(name)
    small = [word for word, names in found.items() if sum(weight(service, n) for n in names) < 40]
    rest = collections.defaultdict(list)
    for word in small:
        for name in found.pop(word):
            rest[f"{name[0]}"].append(name)
    return {
        group: [part(service, name) for name in sorted(names)]
        for group, names in sorted({**found, **rest}.items())
    }


def first_word(name):
    start = camel(name)
    run = len(start) - len(start.lstrip("abcdefghijklmnopqrstuvwxyz0123456789"))
    return name[:run]


def weight(service, name):
    return 4 * len(service.shapes.get(name, service.enums.get(name, []))) + 12


def part(service, name):
    if name in service.enums:
        return enumeration(service, name)
    return structure(service, name, name, f"/// `{name}` of the service model.", True)


def structure(service, shape, name, comment, nested):
    members = service.members(shape) if shape else []
    place = f"{service.name}ClientTypes"
    lines = [f"extension {place} {{"] if nested else []
    lines += [comment, f"public struct {name}: Sendable, Equatable {{"]
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
    """One file for the errors of both services: the same code means the same."""
    names = sorted({name for service in services for name in service.errors})
    text = "import Foundation\n\n/// The errors that the service models know, by their code on the wire.\n"
    text += "let modeledErrors: [String: any ModeledError.Type] = [\n"
    text += "".join(f'"{name}": {name}.self,\n' for name in names) + "]\n\n"
    for name in names:
        users = " and ".join(s.name for s in services if name in s.errors)
        text += f"""/// `{name}` of {users}.
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
    return text
