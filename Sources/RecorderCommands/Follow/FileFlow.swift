import FileFollowing
import LineRecords
import RecorderEngine

/// One flow: the files whose lines become the records of one stream. `follow` has one, and an agent any number in one process,
/// each with its own rules.
struct FileFlow: Sendable {
    /// Where the reading of a file begins that exists when its flow starts for the first time. A file that appears later is read
    /// from its start.
    enum FirstSight: Sendable, Hashable {
        case start, end
    }

    /// A name or an ARN.
    let stream: String
    /// The key of all records that get none from a rule; nil for a key of their own.
    var partitionKey: String?
    /// Paths of files; their last components, and those of directories, may have the wildcards `*`, `?` and `[...]`.
    let patterns: [String]
    /// Patterns of names, or of paths if they have a slash: files that are not followed.
    var excluded: [String] = []
    var firstSight = FirstSight.start
    /// What records are made of lines; those have a delimiter.
    var rules = RecordRules()

    /// Its patterns; relative ones begin in a directory.
    func filePatterns(in directory: String) -> [FilePattern] {
        patterns.map { FilePattern($0, in: directory, excluding: excluded) }
    }
}

/// A flow and the pipeline that saves its records. Flows of one service share a pipeline.
struct FileFlowTarget: Sendable {
    let flow: FileFlow
    let pipeline: RecordPipeline
    /// Called when lines were stored.
    var saved: @Sendable () -> Void = {}
}
