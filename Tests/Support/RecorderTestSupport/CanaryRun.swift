import Foundation
import RecorderAWS
import RecorderConcurrency

/// A run of the whole suite by `Scripts/canary`: directories stay, all is logged, and what must not be found is noted.
///
/// It is one where `RECORDER_TEST_KEEP` names a directory; everywhere else nothing here does anything.
package enum CanaryRun {
    /// Where the directories of tests are made, and stay; nil in other runs.
    package static let directory: String? = {
        guard let path = ProcessInfo.processInfo.environment["RECORDER_TEST_KEEP"], !path.isEmpty else { return nil }
        // Every level, on standard error, from the first directory or server of a process on.
        RecorderLog.listen(wants: { _ in true }, take: { say("log: \($0) \($1)") })
        return path
    }()

    /// Notes keys that a local service made.
    static func note(secret: String) { note("secret", secret) }

    /// Notes a signed request's signature.
    static func note(authorization: String?) {
        if let authorization { note("authorization", authorization) }
    }

    /// Prints all that things say of themselves: descriptions, mirrors, dumps.
    package static func show(_ things: Any...) {
        guard directory != nil else { return }
        for thing in things {
            var text = "show: \(thing) \(String(reflecting: thing)) "
            if let error = thing as? any Error {
                text += "\(error.localizedDescription) \((error as NSError).userInfo) "
            }
            dump(thing, to: &text, maxDepth: 12, maxItems: 10_000)
            say(text)
        }
    }

    private static let notes = Locked<Void>(())

    private static func note(_ kind: String, _ value: String) {
        guard let directory else { return }
        // Other processes of the run write here too: one append is one write.
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
