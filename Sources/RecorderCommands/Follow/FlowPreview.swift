import FileFollowing
import RecorderStore

extension OptionSpec {
    /// Of commands that would change something.
    static func dryRun(_ help: String) -> OptionSpec { OptionSpec("dry-run", help: help) }

    static let previewsFiles = dryRun("print the files that would be read, and end; read, store and send nothing")
}

/// What `--dry-run` prints of a flow: its paths, and the files that they match now.
struct FlowPreview {
    private let flow: FileFlow
    private let service: StreamServiceDescription

    init(_ flow: FileFlow, to service: StreamServiceDescription) {
        self.flow = flow
        self.service = service
    }

    var text: String {
        flow.filePatterns(in: Files.workingDirectory).map(text).joined(separator: "\n")
    }

    private func text(of pattern: FilePattern) -> String {
        let scan = PatternScan(pattern, in: LinuxFileSystem())
        let start = flow.firstSight == .end ? "from their ends when followed for the first time" : "from their starts"
        let title = "\(pattern.text) to \(service.name) \(StreamName(unchecked: flow.stream)), \(start):"
        let files = scan.files.map { file in
            let isRotated = file.relation == .rotated
            let note =
                isRotated ? ", rotated: only lines that are added to it are read, or those after its position" : ""
            return "\(Visible.line(file.path)), \(ByteCount(file.facts.size))\(note)"
        }
        let problems = scan.problems.sorted { $0.key < $1.key }.map {
            "\(Visible.line($0.key)) cannot be followed: \($0.value.text)"
        }
        let found = files + problems
        return ([title] + (found.isEmpty ? ["no file yet"] : found).map { "  \($0)" }).joined(separator: "\n")
    }
}
