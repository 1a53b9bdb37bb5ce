package import LineRecords

/// One flow: the files whose lines become the records of one stream. `follow` has one, and an agent any number in one process,
/// each with its own rules.
package struct FileFlow: Sendable {
    /// Where the reading of a file begins that exists when its flow starts for the first time. A file that appears later is read
    /// from its start.
    package enum FirstSight: Sendable, Hashable {
        case start, end
    }

    /// A name or an ARN.
    package let stream: String
    /// The key of all records that get none from a rule; nil for a key of their own.
    package var partitionKey: String?
    /// Paths of files; their last components, and those of directories, may have the wildcards `*`, `?` and `[...]`.
    package let patterns: [String]
    /// Patterns of names, or of paths if they have a slash: files that are not followed.
    package var excluded: [String] = []
    /// Files that this process writes.
    package var own = OwnFiles()
    /// Files that are found for the first time, and were not changed for so long, are not read but for what is added to them.
    package var ignoredAge: Duration?
    package var firstSight = FirstSight.start
    /// What records are made of lines; those have a delimiter.
    package var rules = RecordRules()

    package init(
        stream: String,
        partitionKey: String? = nil,
        patterns: [String],
        excluded: [String] = [],
        ignoredAge: Duration? = nil,
        firstSight: FirstSight = .start,
        rules: RecordRules = RecordRules()
    ) {
        (self.stream, self.partitionKey, self.patterns) = (stream, partitionKey, patterns)
        (self.excluded, self.ignoredAge) = (excluded, ignoredAge)
        (self.firstSight, self.rules) = (firstSight, rules)
    }

    /// Its patterns, each once, as a file belongs to one; relative ones begin in a directory.
    package func filePatterns(in directory: String) -> [FilePattern] {
        var known: Set<[UInt8]> = []
        return patterns.map { FilePattern($0, in: directory, excluding: excluded, own: own) }
            .filter { known.insert($0.bytes).inserted }
    }
}

/// A flow and the store of its records. Flows of one service share a store.
package struct FileFlowTarget: Sendable {
    package let flow: FileFlow
    package let store: any FollowStore
    /// Called when lines were stored.
    let saved: @Sendable () -> Void

    package init(_ flow: FileFlow, in store: any FollowStore, saved: @escaping @Sendable () -> Void = {}) {
        (self.flow, self.store, self.saved) = (flow, store, saved)
    }
}
