/// Some of a store's streams.
package struct StreamSelection: Sendable, Hashable {
    private let names: Set<String>

    /// A name selects streams that were saved under it, and those that were saved under an ARN of that name; an ARN only itself.
    package init(_ names: some Sequence<String>) {
        self.names = Set(names)
    }

    package func contains(_ stream: StreamName) -> Bool {
        names.contains(stream.rawValue) || names.contains(stream.name)
    }
}
