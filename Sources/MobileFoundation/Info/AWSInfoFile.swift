import Foundation
package import RecorderAWS

/// Finds and reads `awsconfiguration.json`.
///
/// The first of these counts: the file that `AWS_KINESIS_RECORDER_CONFIGURATION` names; `awsconfiguration.json` next to the
/// executable; the one in a SwiftPM resource bundle next to the executable. The working directory is not searched: anyone
/// who can write there could redirect records.
package enum AWSInfoFile {
    static let variable = "AWS_KINESIS_RECORDER_CONFIGURATION"

    private static let name = "awsconfiguration.json"
    private static let largest = 1 << 20

    /// The contents; nil if there is no file.
    package static func read(
        environment: [String: String] = ProcessInfo.processInfo.environment,
        executableDirectory: String? = Bundle.main.executableURL?.deletingLastPathComponent().path
    ) throws(ConfigurationFailure) -> [String: Any]? {
        guard let path = path(environment, executableDirectory: executableDirectory) else { return nil }
        guard let bytes = try SmallFile.bytes(of: path, limit: largest) else {
            throw ConfigurationFailure("\(path) cannot be read: it does not exist.")
        }
        return try parse(Data(bytes), path: path)
    }

    private static func path(_ environment: [String: String], executableDirectory: String?) -> String? {
        if let named = environment[variable], !named.isEmpty { return named }
        guard let directory = executableDirectory else { return nil }
        let siblings = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        let bundles = siblings.filter { $0.hasSuffix(".resources") }.sorted()
        let candidates = [name] + bundles.map { "\($0)/\(name)" }
        return candidates.map { "\(directory)/\($0)" }.first { FileManager.default.fileExists(atPath: $0) }
    }

    private static func parse(_ data: Data, path: String) throws(ConfigurationFailure) -> [String: Any] {
        let json: Any
        do {
            json = try JSONSerialization.jsonObject(with: data)
        } catch {
            let detail = (error as NSError).userInfo["NSDebugDescription"] as? String ?? ""
            let offset = detail.firstMatch(of: /around character (\d+)/).flatMap { Int($0.1) } ?? data.count
            let position = position(of: offset, in: data)
            let problem = detail.replacing(/\s+around character \d+\.?/, with: "")
            throw ConfigurationFailure(
                "\(path), line \(position.line), column \(position.column): no valid JSON. \(problem)"
            )
        }
        guard let root = json as? [String: Any] else {
            throw ConfigurationFailure("\(path), line 1: the outermost value must be an object, { ... }.")
        }
        return root
    }

    /// The line and column of a byte, counted from 1 as in editors.
    private static func position(of offset: Int, in data: Data) -> (line: Int, column: Int) {
        let before = data.prefix(max(0, offset))
        let newline = UInt8(ascii: "\n")
        let lineStart = before.lastIndex(of: newline).map { $0 + 1 } ?? before.startIndex
        let column = String(decoding: before[lineStart...], as: UTF8.self).count + 1
        return (before.count { $0 == newline } + 1, column)
    }
}
