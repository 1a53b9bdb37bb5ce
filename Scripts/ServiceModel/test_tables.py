"""The tables of the round-trip tests: every operation of every client, by its name on the wire."""

import legacy
from swift import fill, join, lower_camel

FILE = """
import AWSFirehose
import AWSKinesis
import RecorderAWS

extension Operations {
$tables
}
"""

TABLE = """
static var $kind$service: [String: Operation<$client>] {
    var table: [String: Operation<$client>] = [:]
    $entries
    return table
}
"""


def file(services):
    """The Swift of the tables: one for each service and kind of method."""
    tables = []
    for service in services:
        tables.append(table("modern", service, f"{service.name}Client", service.operations))
        for kind in ("task", "handler"):
            tables.append(table(kind, service, legacy.client(service), legacy.operations(service)))
    return fill(FILE, tables=join(tables)).lstrip("\n")


def table(kind, service, client, operations):
    entries = "\n".join(f'table["{name}"] = {kind}({client}.{lower_camel(name)})' for name in operations)
    return fill(TABLE, kind=kind, service=service.name, client=client, entries=entries)
