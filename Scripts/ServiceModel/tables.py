"""The tables of the round-trip tests: every operation of every client, by its name on the wire."""

import legacy
from swift import camel


def file(services):
    text = "import AWSKinesis\nimport RecorderAWS\n\nextension Operations {\n"
    for service in services:
        modern = list(service.operations)
        old = [o for o in modern if service.name != "Kinesis" or o in legacy.KINESIS]
        for kind, client, names in (
            ("modern", f"{service.name}Client", modern),
            ("task", f"AWS{service.name}", old),
            ("handler", f"AWS{service.name}", old),
        ):
            label = f"{kind}{service.name}"
            text += f"static var {label}: [String: Operation<{client}>] {{\n"
            text += f"var table: [String: Operation<{client}>] = [:]\n"
            text += "".join(f'table["{o}"] = {kind}({client}.{camel(o)})\n' for o in names)
            text += "return table\n}\n\n"
    return text + "}\n"
