import RecorderEngine

/// The doctor's look at a store's directory and files: where they are, whose they are, and who else may use them.
struct StoreChecks {
    private let location: StoreLocation
    private let inspection: StoreInspection

    init(_ location: StoreLocation) {
        self.location = location
        inspection = StoreInspection(location)
    }

    /// The directory without links; nil where there is none yet.
    var directory: String? { inspection.directory }

    /// Whether a store can be opened here, as far as this look tells.
    var isUsable: Bool { inspection.obstacle == nil && inspection.problems.isEmpty }

    var findings: [Finding] {
        let links = inspection.links.map { Finding.ok("link", "\($0.path) -> \($0.target)") }
        guard inspection.obstacle == nil else { return [place] + links }
        return [place] + links + rights
    }

    private var place: Finding {
        guard let obstacle = inspection.obstacle else {
            let name = inspection.directory ?? location.directory
            return .ok("directory", inspection.directory == nil ? "\(name) (new)" : name)
        }
        return .failure(
            "directory",
            "\(location.directory) cannot be used: \(obstacle)",
            "Mend that, or choose another directory with --directory.",
            .storage
        )
    }

    private var rights: [Finding] {
        let wrong = inspection.problems.map { Finding.failure("rights", $0.text, $0.remedy, .storage) }
        let loose = inspection.loose.map {
            Finding.warning("rights", "\($0.path) had mode \($0.mode), for others too; it is made private now")
        }
        guard wrong.isEmpty, loose.isEmpty, !inspection.modes.isEmpty else { return wrong + loose }
        return [.ok("rights", inspection.modes.map { "\($0.name) \($0.mode)" }.joined(separator: ", "))]
    }
}
