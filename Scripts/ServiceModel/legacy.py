"""AWSKinesis and AWSFirehose: the clients of the AWS SDK for iOS, and their model classes."""

import re

import endpoints
from swift import case_name, doc, errors_doc, fill, join, lower_camel, marked, member_doc

# The operations of Kinesis that the AWS SDK for iOS had in 2.13. The others are only in KinesisClient.
KINESIS_OPERATIONS = """
AddTagsToStream CreateStream DecreaseStreamRetentionPeriod DeleteStream DescribeLimits DescribeStream
DescribeStreamSummary DisableEnhancedMonitoring EnableEnhancedMonitoring GetRecords GetShardIterator
IncreaseStreamRetentionPeriod ListShards ListStreams ListTagsForStream MergeShards PutRecord PutRecords
RemoveTagsFromStream SplitShard StartStreamEncryption StopStreamEncryption UpdateShardCount
""".split()

BASIC_TYPES = {
    "string": "String?",
    "blob": "Data?",
    "timestamp": "Date?",
    "boolean": "NSNumber?",
    "integer": "NSNumber?",
    "long": "NSNumber?",
    "double": "NSNumber?",
}

CLIENT = """
public import AWSTasks
public import Foundation
import MobileFoundation
package import RecorderAWS
public import RecorderConfiguration

/// The operations of $title, each as a task, with a completion handler, and `async`.
///
/// ```swift
/// let request = $client${List}Input()!
/// $client.default().$list(request).continueWith { task in
///     print(task.result?.$listed ?? [], task.error as Any)
///     return nil
/// }
/// $client.default().$list(request) { output, error in
///     print(output?.$listed ?? [], error as Any)
/// }
/// ```
/// Blocks and completion handlers run on threads of their own. Errors are `NSError`s: the service's own in
/// `${client}ErrorDomain`, those common to all services in `AWSServiceErrorDomain`, and calls without an answer in
/// `NSURLErrorDomain`. Safe to use from any thread. Calls run concurrently, and are retried as the configuration says.
public final class $client: NSObject, AWSRegisteredClient, Sendable {
    private static let registry = ClientRegistry(
        of: "$client",
        service: .$service,
        errors: .$service,
        make: $client.init
    )

    /// Runs the operations.
    let tasks: ClientTasks

    /// The client's own copy of the configuration it was registered with; nil for the default client, which looks its
    /// configuration up at the first call.
    public let configuration: AWSServiceConfiguration!

    private init(tasks: ClientTasks, configuration: AWSServiceConfiguration?) {
        self.tasks = tasks
        self.configuration = configuration
    }

    /// Creates a client without configuration that uses this caller.
    package convenience init(caller: AWSServiceCaller) {
        let callers = ServiceCallers(caller, for: .$service)
        self.init(tasks: ClientTasks(callers: .success(callers), errors: .$service), configuration: nil)
    }

    /// The client that the whole program shares.
    ///
    /// It looks its configuration up at the first call: `AWSServiceManager.default().defaultServiceConfiguration`, else
    /// the environment. If there is neither, calls fault.
    public static func `default`() -> $client {
        registry.shared
    }

    /// Creates a client and keeps it under a key, replacing the one registered there.
    ///
    /// - Parameters:
    ///   - configuration: The region, endpoint and credentials; copied.
    ///   - key: The key to pass to `init(forKey:)`.
    public static func register(with configuration: AWSServiceConfiguration, forKey key: String) {
        registry.register(configuration, forKey: key)
    }

    /// Removes the client under a key. References to it remain usable.
    public static func remove(forKey key: String) {
        registry.remove(forKey: key)
    }

    /// The client under a key. If none is registered, a client whose calls fault with an error that names the key.
    public static func registeredClient(forKey key: String) -> $client {
        registry.client(forKey: key)
    }

    /// The Swift 2 spelling of `default()`.
    @available(*, deprecated, renamed: "default()")
    public static func default$name() -> $client {
        registry.shared
    }
}

extension $client {
$operations
}
"""

OPERATION = """
$doc
@discardableResult
public func $method(_ request: $input) -> AWSTask<$result> {
    tasks.task("$operation", request: request$context)
}

/// Calls `$operation` and passes the outcome to the completion handler, on a thread of its own.
public func $method(_ request: $input, completionHandler: ($handler)?) {
    $method(request).complete(completionHandler)
}

/// Calls `$operation` and $awaited. Throws the error that its task would have.
${discardable}public nonisolated(nonsending) func $method(_ request: $input) async throws$returned {
    try await $method(request).$value
}
"""

STRUCTURE = """
/// $summary
public final class $name: $base {
    $properties
}

extension $name: WireShape {
    package func code(_ fields: WireFields) {
        $fields
    }
}
"""

ENUMERATION = """
/// `$shape` in the service model.
public enum $name: Int, Sendable {
    /// Not set, or a value that is not listed here. Never sent.
    case unknown = 0
    $cases
}

extension $name: WireCode {
    package static let words = [$values]
}
"""


def files(service):
    """The Swift of one service's client, by file name."""
    names = operations(service)
    types = service.reachable_types(names, named_type(service))
    structures = [structure(service, t, "AWSModel", f"`{t}` in the service model.") for t in types if t in service.shapes]
    return {
        f"{client(service)}.swift": client_class(service),
        f"{client(service)}Inputs.swift": with_imports(join(ends(service, "Input", base="AWSRequest"))),
        f"{client(service)}Outputs.swift": with_imports(join(ends(service, "Output", base="AWSModel"))),
        f"{client(service)}Structures.swift": with_imports(join(structures)),
        f"{client(service)}Enumerations.swift": "import MobileFoundation\n\n"
        + join(enumeration(service, t) for t in types if t in service.enums),
    }


def operations(service):
    """The operations that the legacy client has."""
    return KINESIS_OPERATIONS if service.name == "Kinesis" else list(service.operations)


def client(service):
    return f"AWS{service.name}"


def with_imports(text):
    """Model classes, after the imports that they need."""
    return "public import Foundation\npublic import MobileFoundation\npackage import RecorderAWS\n\n" + text


def client_class(service):
    return fill(
        CLIENT,
        title=service.title,
        client=client(service),
        name=service.name,
        service=service.name.lower(),
        list=lower_camel(service.listing),
        List=service.listing,
        listed=service.listed,
        operations=join(operation(service, name) for name in operations(service)),
    ).lstrip("\n")


def operation(service, name):
    described = service.operations[name]
    output = described["output"] and f"{client(service)}{described['output']}"
    outcome = f"The result is an ``{output}``." if output else "The task's result is nil."
    return fill(
        OPERATION,
        doc=doc(f"Calls `{name}`. {outcome} {errors_doc(described['errors'], quote='`')}"),
        operation=name,
        method=lower_camel(name),
        input=f"{client(service)}{described['input']}",
        result=output or "AnyObject",
        handler=f"({output}?, (any Error)?) -> Void" if output else "((any Error)?) -> Void",
        awaited="returns its output" if output else "waits until it has succeeded",
        discardable="@discardableResult\n" if output else "",
        returned=f" -> {output}" if output else "",
        value="output" if output else "completion",
        context=endpoints.context(described, "request"),
    )


def ends(service, end, base):
    """The classes of the operations' inputs or outputs. Operations may share one."""
    users = {}
    for operation in operations(service):
        shape = service.operations[operation][end.lower()]
        if shape:
            users.setdefault(shape, []).append(f"`{client(service)}.{lower_camel(operation)}(_:)`")
    for shape, methods in users.items():
        yield structure(service, shape, base, f"The {end.lower()} of {' and '.join(methods)}.")


def structure(service, shape, base, summary):
    members = sorted(
        ((property_name(wire), wire, member) for wire, member in service.shapes[shape].items()),
        key=lambda it: it[0].lower(),
    )
    return fill(
        STRUCTURE,
        summary=summary,
        name=f"{client(service)}{shape}",
        base=base,
        properties="\n".join(
            f"{member_doc(wire, member)}\npublic var {name}: {swift_type(service, member)}" for name, wire, member in members
        ),
        fields="\n".join(f'{coder(member)}(&{name}, as: "{wire}"{marked(member)})' for name, wire, member in members),
    )


def property_name(wire):
    """A property's name: the first letter is lower-case unless the second is a capital. No name starts with "new"."""
    wire = re.sub("^New(?=[A-Z])", "Latest", wire)
    return wire if wire[1:2].isupper() else wire[:1].lower() + wire[1:]


def coder(member):
    return "fields.flag" if member.get("type") == "boolean" else "fields"


def named_type(service):
    """Gives the structure or enumeration that a member's declaration names, or None."""

    def follows(member):
        if "list" in member:
            # A list of an enumeration is a list of strings in the original.
            return member["list"] if member["list"] in service.shapes else None
        return member.get("type")

    return follows


def swift_type(service, member):
    """The Swift type of a member, with its default."""
    if "list" in member:
        element = member["list"]
        return f"[{client(service)}{element}]?" if element in service.shapes else "[String]?"
    if "map" in member:
        return "[String: String]?"
    name = member["type"]
    if name in service.enums:
        return f"{client(service)}{name} = .unknown"
    return BASIC_TYPES.get(name) or f"{client(service)}{name}?"


def enumeration(service, shape):
    values = service.enums[shape]
    return fill(
        ENUMERATION,
        shape=shape,
        name=f"{client(service)}{shape}",
        cases="\n".join(f"/// `{value}`.\ncase {case_name(value)}" for value in values),
        values=", ".join(f'"{value}"' for value in values),
    )
