import FileFollowing
import Glibc
import RecorderStore

/// Checks the files of a flow: whether there are some, and whether they can be read.
enum FileChecks {
    static func findings(of flow: FileFlow) -> [Finding] {
        flow.filePatterns(in: Files.workingDirectory).flatMap(findings)
    }

    private static func findings(of pattern: FilePattern) -> [Finding] {
        let system = LinuxFileSystem()
        let scan = PatternScan(pattern, in: system)
        let unreadable = scan.files.filter { unsafe access($0.path, R_OK) != 0 }.map(\.path)
        // What a pattern matches besides, a follower leaves out.
        let found = scan.problems.filter { !pattern.hasWildcards || ![.store, .own].contains($0.value) }
        var problems = found.sorted { $0.key < $1.key }.map { "\($0.key) cannot be followed: \($0.value.text)" }
        problems += unreadable.map { "\($0) cannot be read" }
        if !problems.isEmpty {
            return problems.map {
                .failure(
                    "files",
                    text: $0,
                    advice: "Let this user read it, or correct the pattern.",
                    status: .noInput
                )
            }
        }
        guard scan.files.isEmpty else {
            return [.ok("files", text: "\(pattern.text): \(Formatting.counted(scan.files.count, "file"))")]
        }
        let directory = pattern.text.split(separator: "/").dropLast().joined(separator: "/")
        let exists = pattern.existingDirectories(in: system).fitting.contains(where: Files.exists)
        return [
            .warning(
                "files",
                text: exists
                    ? "no file matches \(pattern.text) yet" : "the directory of \(pattern.text) does not exist",
                advice: exists
                    ? "Check the pattern. A file that appears later is read from its start."
                    : "Create /\(directory), or correct the pattern."
            )
        ]
    }
}
