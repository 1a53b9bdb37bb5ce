import Foundation
import RecorderTestSupport

/// A C file of `Tests/Faults`, compiled once and preloaded into children.
struct PreloadedLibrary: Sendable {
    static let powerLog = Result { try PreloadedLibrary("PowerLog/powerlog.c") }
    static let workCount = Result { try PreloadedLibrary("WorkCount/workcount.c") }

    private let directory: TemporaryDirectory

    /// nil if there is no C compiler.
    let path: String?

    private init(_ source: String) throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        directory = try TemporaryDirectory()
        let library = directory.path("preloaded.so")
        let file = tests.appendingPathComponent(source).path
        let status = try runTool("cc", "-O1", "-shared", "-fPIC", "-o", library, file, "-ldl", "-lpthread")
        path = status == 0 ? library : nil
    }
}
