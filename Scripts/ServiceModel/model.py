"""The description of one service, for the generator."""

from extract import describe_service


class Service:
    """One service: its operations, errors, structures and enumerations.

    `title` is the service's name in prose. `listing` is the operation that the examples call, and `listed` the member of
    its output that they print.
    """

    def __init__(self, name, title, listing, listed):
        description = describe_service(name.lower())
        self.name = name
        self.title = title
        self.listing = listing
        self.listed = listed
        self.operations = description["operations"]
        self.errors = description["errors"]
        self.enums = description["enums"]
        self.shapes = description["shapes"]

    def structures(self):
        """The structures that are not themselves an operation's input or output."""
        ends = {operation[end] for operation in self.operations.values() for end in ("input", "output")}
        return sorted(name for name in self.shapes if name not in ends)

    def reachable_types(self, operations, follows):
        """Structures and enumerations that the members of these operations' inputs and outputs are made of.

        `follows(member)` is the type that a member's declaration names, or None.
        """
        found = set()

        def visit(shape):
            for member in self.shapes.get(shape, {}).values():
                name = follows(member)
                if name not in found and (name in self.shapes or name in self.enums):
                    found.add(name)
                    visit(name)

        for operation in operations:
            for end in ("input", "output"):
                visit(self.operations[operation][end])
        return sorted(found)


SERVICES = [
    Service("Kinesis", title="Kinesis Data Streams", listing="ListStreams", listed="streamNames"),
    Service("Firehose", title="Data Firehose", listing="ListDeliveryStreams", listed="deliveryStreamNames"),
]
