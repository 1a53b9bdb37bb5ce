import Foundation
import RecorderAWS
import RecorderConcurrency

/// A run of the whole suite by `Scripts/canary`: directories are kept, everything is logged, and secrets are recorded.
///
/// Active if `RECORDER_TEST_KEEP` names a directory; otherwise nothing here does anything.
package enum CanaryRun {
    /// Where the tests' directories are created and kept; nil in other runs.
    package static let directory: String? = {
        guard let path = ProcessInfo.processInfo.environment["RECORDER_TEST_KEEP"], !path.isEmpty else { return nil }
        // Logs every level to standard error, from the first directory or server of a process on.
        RecorderLog.listen(as: "canary", wants: { _ in true }, take: { say("log: \($0) \($1)") })
        return path
    }()

    /// Records a secret key that a local service created.
    static func note(secret: String) { note("secret", secret) }

    /// Records a signed request's signature.
    static func note(authorization: String?) {
        if let authorization { note("authorization", authorization) }
    }

    /// Prints every textual form of these values: descriptions, mirrors, dumps.
    package static func show(_ values: Any...) {
        guard directory != nil else { return }
        for value in values {
            var text = "show: \(value) \(String(reflecting: value)) "
            if let error = value as? any Error {
                text += "\(error.localizedDescription) \((error as NSError).userInfo) "
            }
            dump(value, to: &text, maxDepth: 12, maxItems: 10_000)
            say(text)
        }
    }

    private static let notes = Locked<Void>(())

    private static func note(_ kind: String, _ value: String) {
        guard let directory else { return }
        // Other processes of the run write here too, so each append is one write.
        notes.withLock { _ in
            guard let file = fopen("\(directory)/notes", "a") else { return }
            fputs("\(kind) \(value)\n", file)
            fclose(file)
        }
    }

    private static func say(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
    }
}
