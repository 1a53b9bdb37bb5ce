"""KinesisClient and FirehoseClient: the clients with `async` operations, their types and errors."""

import re

import endpoints
from swift import doc, errors_doc, fill, join, lower_camel, marked, member_doc, smithy_case_name

# Both services have these; they are nested in the types of their service.
SHARED = {"PutRecordInput", "PutRecordOutput"}

BASIC_TYPES = {
    "string": "String",
    "blob": "Data",
    "timestamp": "Date",
    "boolean": "Bool",
    "integer": "Int",
    "long": "Int",
    "double": "Double",
}

CLIENT = """
public import AWSServiceClients
import RecorderAWS

/// The operations of $title, one `async` method each.
///
/// ```swift
/// let client = try $client(region: "us-east-1")
/// let streams = try await client.$list(input: ${List}Input(limit: 10))
/// ```
/// Calls throw a type of the service model, such as `ResourceNotFoundException`, or `UnknownAWSHTTPServiceError` for
/// any other error of the service; `AWSClientError` if there is no answer; and `CancellationError`. Failed calls are
/// retried as the configuration says. Safe to use from any thread; calls run concurrently.
public final class $client: Sendable {
    /// The name of the client.
    public static let clientName = "$client"

    /// The client's own copy of the configuration it was created with. Changing it has no effect.
    public let config: ${client}Configuration

    /// Makes the calls.
    package let calls: ClientCalls

    /// Creates a client. If a setting is invalid, every call throws.
    public init(config: ${client}Configuration) {
        self.config = ${client}Configuration(copying: config)
        calls = ClientCalls(to: .$service, configuration: self.config)
    }

    /// Creates a client whose calls another object makes.
    package init(config: ${client}Configuration, calls: ClientCalls) {
        self.config = config
        self.calls = calls
    }

    /// Creates a client for a region such as `us-east-1`, with all else from the environment and the AWS profile.
    ///
    /// Throws `AWSClientError` if the name is not a valid region name.
    public convenience init(region: String) throws {
        self.init(config: try ${client}Configuration(region: region))
    }

    /// Creates a client with the region and all else from the environment and the AWS profile.
    ///
    /// Throws `AWSClientError` if no region is configured, or its name is invalid.
    public convenience init() throws {
        self.init(config: try ${client}Configuration())
        _ = try config.requiredRegion
    }

    /// The configuration of a ``$client``. A client copies it when it is created; later changes have no effect.
    public final class ${client}Configuration: AWSClientConfiguration, @unchecked Sendable {
        // Safe because it adds no state to its superclass.
    }

    /// A newer name for the same class.
    public typealias ${client}Config = ${client}Configuration
}

extension $client {
$operations
}
"""

OPERATION = """
$doc
public func $method(input: $input) async throws -> $output {
    try await calls.call("$operation", input: input$context)
}
"""

NAMESPACE = """
/// The structures and enumerations inside the inputs and outputs of ``$client``.
public enum ${client}Types {}
"""

STRUCTURE = """
/// $summary
public struct $name: Sendable, Equatable, CustomStringConvertible$reflectable {
    $properties

    /// $creation
    public init($parameters) {
        $assignments
    }

    /// Whether both have the same members.
    public static func == (one: Self, other: Self) -> Bool { one.isSame(as: other) }

    /// The members as JSON, without secrets, and without the bytes of data.
    public var description: String { described }
    $mirror
}
"""

STRUCTURE_ON_THE_WIRE = """
extension $name: WireShape {
    package static func blank() -> Self { Self() }

    package mutating func code(_ fields: WireFields) {
        $fields
    }
}
"""

ENUMERATION = """
extension $namespace {
    /// `$name` in the service model.
    public enum $name: Sendable, Hashable, CaseIterable, RawRepresentable {
        $cases
        /// A value that is not in the service model.
        case sdkUnknown(String)

        /// All values in the service model.
        public static var allCases: [Self] { [$all] }

        /// The case for a value on the wire; never nil.
        public init?(rawValue: String) {
            switch rawValue {
            $decoding
            default: self = .sdkUnknown(rawValue)
            }
        }

        /// The value on the wire.
        public var rawValue: String {
            switch self {
            $encoding
            case .sdkUnknown(let value): value
            }
        }
    }
}

extension $namespace.$name: WireValue {}
"""

ERROR_TABLE = """
/// The errors of the service models, by their code on the wire.
let modeledErrors: [String: any ReturnedError.Type] = [
    $entries
]
"""

ERROR = """
/// `$name` of $services.
public struct $name: ModeledError, ReturnedError, Equatable {
    /// `$name`.
    public static let typeName = "$name"
    /// `$fault`.
    public static let fault = ErrorFault.$fault
    /// The service's message.
    public var message: String?
    /// The ID of the request, for AWS Support.
    public var requestID: String?
    /// The HTTP status of the answer.
    public var statusCode: Int?

    /// Creates an error as the service would return it.
    public init(message: String? = nil, requestID: String? = nil, statusCode: Int? = nil) {
        self.message = message
        self.requestID = requestID
        self.statusCode = statusCode
    }
}
"""


def files(service):
    """The Swift of one service's client, by file name."""
    structures = [fill(NAMESPACE, client=client(service))]
    structures += [structure(service, name, name, f"`{name}` in the service model.") for name in service.structures()]
    return {
        f"{service.name}Client.swift": client_class(service),
        f"{service.name}Inputs.swift": with_imports(join(end(service, o, "Input") for o in service.operations)),
        f"{service.name}Outputs.swift": with_imports(join(end(service, o, "Output") for o in service.operations)),
        f"{service.name}Structures.swift": with_imports(join(structures)),
        f"{service.name}Enumerations.swift": "import RecorderAWS\n\n"
        + join(enumeration(service, name) for name in sorted(service.enums)),
    }


def errors_file(services):
    """The errors of all services: one type for each code, as a code means the same in each service."""
    names = sorted({name for service in services for name in service.errors})
    table = fill(ERROR_TABLE, entries="\n".join(f'"{name}": {name}.self,' for name in names))
    types = [
        fill(ERROR, name=name, fault=fault(services, name), services=" and ".join(s.name for s in services if name in s.errors))
        for name in names
    ]
    return "import Foundation\n\n" + join([table] + types)


def fault(services, name):
    """Whose fault an error is, in all services alike."""
    found = {service.errors[name] for service in services if name in service.errors}
    assert len(found) == 1, name
    return found.pop()


def client(service):
    return f"{service.name}Client"


def namespace(service):
    return f"{client(service)}Types"


def with_imports(text):
    """Structures, after the imports that they need."""
    imports = ["public import Foundation"] if re.search(r"\b(Data|Date)\?", text) else []
    return "\n".join(imports + ["package import RecorderAWS"]) + "\n\n" + text


def client_class(service):
    return fill(
        CLIENT,
        title=service.title,
        client=client(service),
        service=service.name.lower(),
        list=lower_camel(service.listing),
        List=service.listing,
        operations=join(operation(service, name) for name in service.operations),
    ).lstrip("\n")


def operation(service, name):
    return fill(
        OPERATION,
        doc=doc(f"Calls `{name}`. {errors_doc(service.operations[name]['errors'], quote='`')}"),
        operation=name,
        method=lower_camel(name),
        input=end_type(service, f"{name}Input"),
        output=end_type(service, f"{name}Output"),
        context=endpoints.context(service.operations[name], "input"),
    )


def end_type(service, name):
    """The full name of an operation's input or output."""
    return f"{namespace(service)}.{name}" if name in SHARED else name


def end(service, operation, end):
    """The structure of an operation's input or output."""
    name = f"{operation}{end}"
    summary = f"The {end.lower()} of ``{client(service)}/{lower_camel(operation)}(input:)``."
    return structure(service, service.operations[operation][end.lower()], name, summary, nested=name in SHARED)


def structure(service, shape, name, summary, nested=True):
    """A structure with a shape's members in alphabetical order; without a shape, one without members."""
    described = service.shapes[shape] if shape else {}
    members = sorted(
        ((lower_camel(wire), wire, member) for wire, member in described.items()), key=lambda it: it[0].lower()
    )
    types = {name: swift_type(service, member) for name, _, member in members}
    text = fill(
        STRUCTURE,
        summary=summary,
        name=name,
        properties="\n\n".join(f"{member_doc(wire, m)}\npublic var {name}: {types[name]}?" for name, wire, m in members),
        creation="Creates a value. Members that are nil are not sent." if members else "Creates a value without members.",
        parameters=", ".join(f"{name}: {types[name]}? = nil" for name, _, _ in members),
        assignments="\n".join(f"self.{name} = {name}" for name, _, _ in members),
        **hiding(members),
    )
    if nested:
        text = f"extension {namespace(service)} {{\n{text}}}\n"
    return text + fill(
        STRUCTURE_ON_THE_WIRE,
        name=f"{namespace(service)}.{name}" if nested else name,
        fields="\n".join(f'fields(&{name}, as: "{wire}"{marked(m)})' for name, wire, m in members),
    )


def hiding(members):
    """What a structure has more than others if the service model calls members of it sensitive."""
    if not any(member.get("sensitive") for _, _, member in members):
        return {"reflectable": "", "mirror": ""}
    return {
        "reflectable": ", CustomReflectable",
        "mirror": "\n/// A mirror without members.\npublic var customMirror: Mirror { Mirror(self, children: []) }",
    }


def swift_type(service, member):
    """The Swift type of a member, without the question mark."""

    def named(name):
        return BASIC_TYPES.get(name) or f"{namespace(service)}.{name}"

    if "list" in member:
        return f"[{named(member['list'])}]"
    if "map" in member:
        return f"[String: {named(member['map'])}]"
    return named(member["type"])


def enumeration(service, name):
    cases = [(smithy_case_name(value), value) for value in sorted(service.enums[name])]
    return fill(
        ENUMERATION,
        namespace=namespace(service),
        name=name,
        cases="\n".join(f"/// `{value}`.\ncase {case}" for case, value in cases),
        all=", ".join(f".{case}" for case, _ in cases),
        decoding="\n".join(f'case "{value}": self = .{case}' for case, value in cases),
        encoding="\n".join(f'case .{case}: "{value}"' for case, value in cases),
    )
