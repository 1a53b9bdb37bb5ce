"""The hosts of the services as Swift: botocore's rules and partitions, and the regions of regions.json.

A rule becomes an `if`, its conditions the clauses. What is known before a call is decided here: a custom address has
replaced the rules, there is a region, and STS has no global host.
"""

import json
import pathlib
import re

from extract import endpoint_rules, partitions
from swift import fill, join, lower_camel

HERE = pathlib.Path(__file__).parent

DESCRIPTION = {
    "partitions": partitions(),
    "services": {name: endpoint_rules(name) for name in ("kinesis", "firehose", "sts", "cognito-identity")},
}
REGIONS = json.loads((HERE / "regions.json").read_text())

# Parameters whose value is known: None if they are never set, ... if they always are.
KNOWN = {"Endpoint": None, "Region": ..., "OperationType": ..., "AccountIdEndpointMode": ..., "UseGlobalEndpoint": False}

# Properties of `EndpointParameters`. Other parameters are members of an operation's input.
PROPERTIES = {
    "Region": "region",
    "UseFIPS": "usesFIPS",
    "UseDualStack": "usesDualStack",
    "OperationType": "operationType",
    "ResourceType": "resourceType",
    "AccountId": "accountID",
    "AccountIdEndpointMode": "accountIDEndpointMode",
}

PARTITION = {"name": "partition.name", "dnsSuffix": "partition.dnsSuffix", "dualStackDnsSuffix": "partition.dualStackSuffix"}
ARN = {"accountId": "account", "region": "region", "service": "service", "partition": "partition"}

RULES = """
extension Partition {
    /// The partitions of AWS, the commercial one first.
    static let all = [
        $partitions
    ]
}

extension Region {
    /// The names of the regions that AWS had when this file was written.
    package static let known = [
        $regions
    ]
}

/// The members of an operation's input that its host may depend on.
package struct EndpointContext: Sendable, Hashable {
    $properties

    /// Members that an operation does not have are nil.
    package init($parameters) {
        $assignments
    }

    /// The members that are set, with their names in requests.
    var given: [(name: String, value: String)] {
        let all: [(name: String, value: String?)] = [$given]
        return all.compactMap { member in member.value.map { (member.name, $$0) } }
    }
}

extension AWSService {
    /// The values that an operation itself gives to the rules.
    func endpointValues(of operation: String) -> (operationType: String, resourceType: String) {
        switch signingName {
        $values
        default: ("", "")
        }
    }
}

extension EndpointParameters {
    /// The host that a service's rules give; nil if they give none.
    func host(of service: AWSService) -> String? {
        switch service.signingName {
        $services
        default: usualHost(service.hostLabel ?? service.signingName)
        }
    }

    $hosts
}
"""

HOST = """
private var ${name}Host: String? {
    $rules
}
"""

REGION_TYPE = """
/// A region of AWS, with the AWS SDK's raw values and names.
///
/// Regions that AWS opened after that SDK's last release are at the end. A region that is not listed can be used through
/// the environment variable `AWS_REGION`.
public enum AWSRegionType: Int, Sendable, CaseIterable {
    /// No region, or one that is not listed; calls fail with it.
    case Unknown = 0
    $cases

    /// The names that AWS uses, in the order of the cases after `Unknown`.
    static let names = [
        $names
    ]
}
"""


def rules_file(services):
    """The partitions, and the rules of all services."""
    described = DESCRIPTION["services"]
    members = [name for name in described["kinesis"]["parameters"] if name not in PROPERTIES and name not in KNOWN]
    for rules in described.values():
        assert not set(rules["parameters"]) - {*members, *PROPERTIES, *KNOWN}, "The rules have a new parameter."
    names = {name: lower_camel(name) for name in members}
    return fill(
        RULES,
        partitions=",\n".join(partition(it) for it in DESCRIPTION["partitions"]),
        regions=",\n".join(f'"{name}"' for name in REGIONS),
        properties="\n".join(f"/// `{wire}`.\npackage var {name}: String?" for wire, name in names.items()),
        parameters=", ".join(f"{name}: String? = nil" for name in names.values()),
        assignments="\n".join(f"self.{name} = {name}" for name in names.values()),
        given=", ".join(f'("{wire}", {name})' for wire, name in names.items()),
        values="\n".join(values(services)),
        services="\n".join(f'case "{service}": {host_name(service)}Host' for service in described),
        hosts=join(
            fill(HOST, name=host_name(service), rules="\n".join(block(simplified(rules["rules"]))))
            for service, rules in described.items()
        ),
    ).lstrip("\n")


def host_name(service):
    return re.sub("-(.)", lambda match: match.group(1).upper(), service)


def partition(described):
    outputs = described["outputs"]
    return (
        f'Partition(name: "{described["id"]}", dnsSuffix: "{outputs["dnsSuffix"]}", '
        f'dualStackSuffix: "{outputs["dualStackDnsSuffix"]}", areas: {json.dumps(areas(described["regionRegex"]))})'
    )


def areas(pattern):
    r"""The beginnings of region names in a pattern such as `^(us|eu)\-\w+\-\d+$`."""
    form = re.fullmatch(r"\^(.*)\\-\\w\+\\-\\d\+\$", pattern)
    assert form, f"A pattern of region names has a new form: {pattern}"
    beginnings = [""]
    for part in form.group(1).split("\\-"):
        choices = part.strip("()").split("|")
        beginnings = [f"{beginning}-{choice}".lstrip("-") for beginning in beginnings for choice in choices]
    return beginnings


def values(services):
    """A case for each service whose operations give values, with a case for each pair of values."""
    for service in services:
        operations = {}
        for name, operation in service.operations.items():
            given = operation.get("endpointValues", {})
            assert not set(given) - {"OperationType", "ResourceType"}, name
            operations.setdefault((given.get("OperationType", ""), given.get("ResourceType", "")), []).append(name)
        if list(operations) == [("", "")]:
            continue
        usual = max(operations, key=lambda pair: len(operations[pair]))
        yield f'case "{service.name.lower()}":\nswitch operation {{'
        for (kind, resource), names in operations.items():
            if (kind, resource) != usual:
                yield f'case {json.dumps(names)[1:-1]}: ("{kind}", "{resource}")'
        yield f'default: ("{usual[0]}", "{usual[1]}")\n}}'


def context(operation, input):
    """The argument that passes members of an operation's input to the rules; empty if it has none."""
    members = operation.get("endpointMembers", {})
    given = {lower_camel(name): f"{input}.{lower_camel(member)}" for name, member in sorted(members.items())}
    order = [lower_camel(name) for name in DESCRIPTION["services"]["kinesis"]["parameters"]]
    passed = ", ".join(f"{name}: {given[name]}" for name in order if name in given)
    return f", context: EndpointContext({passed})" if passed else ""


# MARK: rules


def simplified(rules):
    """Rules whose conditions are Swift clauses: those that can apply, up to the first that always does. Errors end a list.

    Each is a pair of clauses and either rules or the text of a host.
    """
    found = []
    for number, rule in enumerate(rules):
        clauses = [clause(condition) for condition in rule["conditions"]]
        if False in clauses:
            continue
        clauses = [it for it in clauses if it is not True]
        if rule["type"] == "error":
            inner = None
        elif rule["type"] == "tree":
            inner = simplified(rule["rules"])
        else:
            inner = host(rule["endpoint"])
        if isinstance(inner, list) and not clauses:
            found += inner
            return found
        if isinstance(inner, list) and len(inner) == 1:
            # If inner rules do not apply, that is an error, so their clauses belong to these if only errors follow.
            if not inner[0][0] or all(other["type"] == "error" for other in rules[number + 1 :]):
                clauses, inner = clauses + inner[0][0], inner[0][1]
        found.append((without_unused(clauses, inner), inner or None))
        if not clauses:
            break
    while found and found[-1][1] is None:
        found.pop()
    return common_host(found)


def without_unused(clauses, inner):
    """The clauses; one that binds a member of the input that nothing reads only tests it."""

    def tested(text, others):
        bound = re.fullmatch(r"let (\w+) = (context\.\w+)", text)
        return f"{bound.group(2)} != nil" if bound and not re.search(rf"\b{bound.group(1)}\b", others) else text

    return [tested(text, repr((clauses[:number], clauses[number + 1 :], inner))) for number, text in enumerate(clauses)]


def common_host(rules):
    """One rule instead of the four that differ in FIPS and dual stack as hosts usually do."""
    region, plain, both = ".\\(region).", "\\(partition.dnsSuffix)", "\\(partition.dualStackSuffix)"
    if len(rules) < 4 or rules[-1][0] or not isinstance(rules[-1][1], str) or not rules[-1][1].endswith(region + plain):
        return rules
    label = rules[-1][1].removesuffix(region + plain)
    usual = [
        (["usesFIPS", "usesDualStack"], f"{label}-fips{region}{both}"),
        (["usesFIPS"], f"{label}-fips{region}{plain}"),
        (["usesDualStack"], f"{label}{region}{both}"),
        ([], f"{label}{region}{plain}"),
    ]
    return rules[:-4] + [([], f"={label}")] if rules[-4:] == usual else rules


def block(rules):
    """The statements of a list of rules. They always return."""
    for clauses, inner in rules:
        if isinstance(inner, list):
            body = list(block(inner))
        elif inner is None:
            body = ["return nil"]
        else:
            body = [f'return usualHost("{inner[1:]}")' if inner.startswith("=") else f'return "{inner}"']
        yield from [f"if {', '.join(clauses)} {{", *body, "}"] if clauses else body
    if not rules or rules[-1][0]:
        yield "return nil"


def host(endpoint):
    """The host of an endpoint, with interpolations for its parameters."""
    # `metricValues` are for statistics.
    assert set(endpoint.get("properties", {})) <= {"metricValues"}, f"An endpoint has a new property: {endpoint}"
    url = endpoint["url"]
    assert url.startswith("https://") and "/" not in url[8:], url
    return re.sub(r"\{(.*?)\}", lambda reference: f"\\({template_value(reference.group(1))})", url[8:])


def template_value(reference):
    name, _, attribute = reference.partition("#")
    return attribute_of(name, attribute) if attribute else variable(name)


def clause(condition):
    """A condition as a Swift clause, or True or False if it is decided."""
    function, arguments = condition["fn"], condition["argv"]
    if function == "not":
        inner = clause(arguments[0])
        return not inner if isinstance(inner, bool) else inner.replace(" == ", " != ") if " == " in inner else f"!{inner}"
    if function == "isSet":
        name = arguments[0]["ref"]
        if name in KNOWN:
            return KNOWN[name] is ...
        return f"let {variable(name)}" if name in PROPERTIES else f"let {variable(name)} = context.{variable(name)}"
    if function in ("booleanEquals", "stringEquals"):
        return equal(*sorted(arguments, key=lambda it: not isinstance(it, dict)))
    if function == "aws.partition":
        return True
    if function == "isValidHostLabel":
        return f"isHostLabel({swift_value(arguments[0])})"
    assert "assign" in condition, condition
    made = {"aws.parseArn": arn, "substring": substring, "getAttr": lambda *it: swift_value(condition)}[function](*arguments)
    return f"let {variable(condition['assign'])} = {made}"


def equal(one, other):
    if one == {"ref": "Region"} and other == "aws-global":
        return False
    if one.get("fn") == "getAttr" and one["argv"][1].startswith("supports"):
        supported = {partition["outputs"][one["argv"][1]] for partition in DESCRIPTION["partitions"]}
        assert supported == {True}, "A partition lacks FIPS or dual stack: give `Partition` a property for it."
        return other is True
    if one.get("ref") in KNOWN and isinstance(KNOWN[one["ref"]], bool):
        return KNOWN[one["ref"]] == other
    if isinstance(other, bool):
        return swift_value(one) if other else f"!{swift_value(one)}"
    if one == {"ref": "AccountIdEndpointMode"}:
        return f"accountIDEndpointMode == .{other}"
    return f"{swift_value(one)} == {swift_value(other)}"


def swift_value(value):
    """A value as Swift: a literal, a template, a variable or an attribute."""
    if isinstance(value, str):
        whole = re.fullmatch(r"\{([^{}]*)\}", value)
        return template_value(whole.group(1)) if whole else json.dumps(value)
    if "ref" in value:
        return variable(value["ref"])
    assert value["fn"] == "getAttr", value
    return attribute_of(value["argv"][0]["ref"], value["argv"][1])


def attribute_of(name, attribute):
    if name == "PartitionResult":
        return PARTITION[attribute]
    index = re.fullmatch(r"resourceId\[(\d+)\]", attribute)
    return f"{variable(name)}.resourcePart({index.group(1)})" if index else f"{variable(name)}.{ARN[attribute]}"


def variable(name):
    return PROPERTIES.get(name) or lower_camel(name)


def arn(text):
    return f"AWSResourceName({swift_value(text)})"


def substring(text, start, stop, is_from_end):
    return f"substring(of: {swift_value(text)}, from: {start}, to: {stop}, fromEnd: {json.dumps(is_from_end)})"


# MARK: regions


def region_file():
    """The regions that the AWS SDK's users name."""
    cases = [f"/// {title}, `{name}`.\ncase {region_case(name)}" for name, title in REGIONS.items()]
    return fill(REGION_TYPE, cases="\n".join(cases), names=",\n".join(f'"{name}"' for name in REGIONS)).lstrip("\n")


def region_case(name):
    """The case of a region: us-gov-west-1 -> USGovWest1, ap-southeast-2 -> APSoutheast2, cn-northwest-1 -> CNNorthWest1."""
    *area, place, number = name.split("-")
    first = "".join("Gov" if word == "gov" else word.upper() for word in area)
    return first + {"northwest": "NorthWest"}.get(place, place.capitalize()) + number
