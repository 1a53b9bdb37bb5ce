import Foundation
import RecorderTestSupport

/// A built program of this package, next to the test bundle.
enum BuiltProgram {
    /// Runs the program to its end and returns its exit status.
    static func run(
        _ name: String,
        _ arguments: [String],
        environment: [String: String] = [:]
    ) async throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path(of: name))
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        await (try ProcessEnd(starting: process)).finished()
        return process.terminationStatus
    }

    private static func path(of name: String) -> String {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let places = ([own] + CommandLine.arguments).map {
            URL(fileURLWithPath: $0).deletingLastPathComponent().path + "/\(name)"
        }
        return places.first { FileManager.default.isExecutableFile(atPath: $0) } ?? places[0]
    }
}
