import Foundation
package import RecorderAWS

/// Where `awsconfiguration.json` is, and what is in it.
///
/// The first of: the file that `AWS_KINESIS_RECORDER_CONFIGURATION` names; `awsconfiguration.json` beside the executable;
/// that of a SwiftPM resource bundle beside the executable. Not the working directory: whoever can write there could have
/// records sent elsewhere.
package enum AWSInfoFile {
    static let variable = "AWS_KINESIS_RECORDER_CONFIGURATION"

    private static let name = "awsconfiguration.json"
    private static let largest = 1 << 20

    /// The contents; nil where there is no file.
    package static func read(
        environment: [String: String] = ProcessInfo.processInfo.environment,
        executableDirectory: String? = Bundle.main.executableURL?.deletingLastPathComponent().path
    ) throws(ConfigurationFailure) -> [String: Any]? {
        guard let path = path(environment, executableDirectory) else { return nil }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ConfigurationFailure("\(path) cannot be read: check that it exists and its rights.")
        }
        guard data.count <= largest else {
            throw ConfigurationFailure("\(path) has \(data.count) bytes; at most \(largest) are read.")
        }
        return try parse(data, path)
    }

    private static func path(_ environment: [String: String], _ executableDirectory: String?) -> String? {
        if let named = environment[variable], !named.isEmpty { return named }
        guard let directory = executableDirectory else { return nil }
        let beside = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        let bundles = beside.filter { $0.hasSuffix(".resources") }.sorted()
        let places = [name] + bundles.map { "\($0)/\(name)" }
        return places.map { "\(directory)/\($0)" }.first { FileManager.default.fileExists(atPath: $0) }
    }

    private static func parse(_ data: Data, _ path: String) throws(ConfigurationFailure) -> [String: Any] {
        let json: Any
        do {
            json = try JSONSerialization.jsonObject(with: data)
        } catch {
            let detail = (error as NSError).userInfo["NSDebugDescription"] as? String ?? ""
            let offset = detail.firstMatch(of: /around character (\d+)/).flatMap { Int($0.1) } ?? data.count
            let place = position(offset, in: data)
            let problem = detail.replacing(/\s+around character \d+\.?/, with: "")
            throw ConfigurationFailure("\(path), line \(place.line), column \(place.column): no valid JSON. \(problem)")
        }
        guard let root = json as? [String: Any] else {
            throw ConfigurationFailure("\(path), line 1: the outermost value must be an object, { ... }.")
        }
        return root
    }

    /// Where a byte is, as editors count: from 1.
    private static func position(_ offset: Int, in data: Data) -> (line: Int, column: Int) {
        let before = data.prefix(max(0, offset))
        let newline = UInt8(ascii: "\n")
        let lineStart = before.lastIndex(of: newline).map { $0 + 1 } ?? before.startIndex
        let column = String(decoding: before[lineStart...], as: UTF8.self).count + 1
        return (before.count { $0 == newline } + 1, column)
    }
}
