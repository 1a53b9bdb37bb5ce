import RecorderStore

/// Checks the directory and files of a store: where they are, who owns them, and who else may use them.
struct StoreChecks {
    private let location: StoreLocation
    private let inspection: StoreInspection

    init(_ location: StoreLocation) {
        self.location = location
        inspection = StoreInspection(location)
    }

    /// The directory without symbolic links; nil if it does not exist yet.
    var directory: String? { inspection.directory }

    /// The directory itself, or the one above it that exists.
    var nearestDirectory: String { inspection.nearestDirectory }

    /// Whether no check found a reason why the store cannot be opened.
    var isUsable: Bool { inspection.obstacle == nil && inspection.problems.isEmpty }

    var findings: [Finding] {
        let links = inspection.links.map { Finding.ok("link", text: "\($0.path) -> \($0.target)") }
        guard inspection.obstacle == nil else { return [directoryFinding] + links }
        return [directoryFinding] + links + rights
    }

    private var directoryFinding: Finding {
        guard let obstacle = inspection.obstacle else {
            let name = inspection.directory ?? location.directory
            return .ok("directory", text: inspection.directory == nil ? "\(name) (will be created)" : name)
        }
        return .failure(
            "directory",
            text: "\(location.directory) cannot be used: \(obstacle)",
            advice: "Fix that, or choose another directory with --directory.",
            status: .storage
        )
    }

    private var rights: [Finding] {
        let wrong = inspection.problems.map {
            Finding.failure("rights", text: $0.text, advice: $0.remedy, status: .storage)
        }
        let loose = inspection.loose.map {
            Finding.warning(
                "rights",
                text: "\($0.path) had mode \($0.mode), open to other users; the next use makes it private"
            )
        }
        guard wrong.isEmpty, loose.isEmpty, !inspection.modes.isEmpty else { return wrong + loose }
        return [.ok("rights", text: inspection.modes.map { "\($0.name) \($0.mode)" }.joined(separator: ", "))]
    }
}
