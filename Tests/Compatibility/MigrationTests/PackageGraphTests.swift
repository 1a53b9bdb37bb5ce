import Foundation
import RecorderTestSupport
import Testing

/// This package in one graph with others, which declare every product and target of the real ones (Tests/Support/UpstreamNames).
@Suite(.disabled(if: isSanitized, "a sanitizer does not change what SwiftPM says"), .timeLimit(.minutes(10)))
struct PackageGraphTests {
    @Test func `with own names only, a program uses a recorder beside S3`() async throws {
        let program = try Program(
            products: ["KinesisRecorders"],
            source: """
                import AWSS3; import Foundation; import KinesisRecorders

                let recorder = AWSKinesisRecorder.default()!
                _ = try await recorder.saveRecords([Data("one".utf8)], streamName: "stream").value
                print(AWSS3.name, recorder.statistics?.stored ?? 0)
                """
        )
        let built = try await program.swift("build", environment: ["RECORDER_OWN_NAMES_ONLY": "1"])
        try #require(built.status == 0, "\(built.out) \(built.err)")
        let ran = try await BuiltProgram.run(
            "\(program.scratch)/debug/Program",
            [],
            environment: ["AWS_KINESIS_RECORDER_DIR": program.directory.path("stores")]
        )
        #expect(ran.out == "AWSS3 1\n")
    }

    @Test func `without the switch, SwiftPM says what MIGRATION quotes`() async throws {
        let program = try Program(products: ["KinesisRecorders"], source: "")
        let built = try await program.swift("build")
        #expect(built.status != 0)
        try expectQuoted("multiple similar targets", in: built)
    }

    @Test func `with the switch, a product with an upstream name is missing, as MIGRATION says`() async throws {
        let program = try Program(products: ["AWSKinesis"], others: [], source: "import AWSKinesis")
        let built = try await program.swift("build", environment: ["RECORDER_OWN_NAMES_ONLY": "1"])
        #expect(built.status != 0)
        try expectQuoted("product 'AWSKinesis'", in: built)
    }

    /// Finds a message of SwiftPM in MIGRATION.md, where `...` stands for any text.
    private func expectQuoted(_ start: String, in built: BuiltProgram.Ran) throws {
        let document = try String(contentsOfFile: "\(Repository.path)/MIGRATION.md", encoding: .utf8)
        let quotes = document.split(separator: "\n").flatMap(\.codeSpans).filter { $0.hasPrefix(start) }
        #expect(!quotes.isEmpty)
        let text = built.out + built.err
        #expect(quotes.contains { MessagePattern($0).isFound(in: text) }, "\(text)")
    }
}

/// A package of one program that depends on this one and on stand-ins for others.
private struct Program {
    let directory: TemporaryDirectory
    var scratch: String { directory.path("build") }

    init(
        products: [String],
        others: [String] = ["aws-sdk-swift", "smithy-swift", "amplify-swift"],
        source: String
    ) throws {
        directory = try TemporaryDirectory()
        for name in others { try StandIn(name).write(into: directory.path(name)) }
        // A link has the name by which programs know this package.
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("swift-aws-recorder"),
            withDestinationPath: Repository.path
        )
        let packages = ["swift-aws-recorder"] + others
        var dependencies = products.map { #".product(name: "\#($0)", package: "swift-aws-recorder")"# }
        if others.contains("aws-sdk-swift") {
            dependencies.append(#".product(name: "AWSS3", package: "aws-sdk-swift")"#)
        }
        try Manifest(
            name: "Program",
            dependencies: packages.map { #".package(path: "../\#($0)")"# },
            targets: [
                #".executableTarget(name: "Program", dependencies: [\#(dependencies.joined(separator: ", "))])"#
            ]
        ).write(into: directory.path("program"))
        try writeFile(source, to: directory.path("program/Sources/Program/main.swift"))
    }

    func swift(_ command: String, environment: [String: String] = [:]) async throws -> BuiltProgram.Ran {
        let paths = ["--package-path", directory.path("program"), "--scratch-path", scratch]
        return try await BuiltProgram.run(
            "/usr/bin/env",
            ["swift", command] + paths + ["-Xswiftc", "-gnone", "--disable-index-store"],
            environment: environment
        )
    }
}

/// Another package: its products and targets by their names.
private struct StandIn {
    let name: String
    let products: [String]
    let targets: [String]

    init(_ name: String) throws {
        self.name = name
        let path = "\(Repository.path)/Tests/Support/UpstreamNames/\(name).txt"
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        products = lines.filter { !$0.hasSuffix(" target") }.map(String.init)
        targets = lines.map { String($0.prefix { $0 != " " }) }
    }

    func write(into directory: String) throws {
        try Manifest(
            name: name,
            products: products.map { #".library(name: "\#($0)", targets: ["\#($0)"])"# },
            targets: targets.map { #".target(name: "\#($0)")"# }
        ).write(into: directory)
        for target in targets {
            let source = "public enum \(target) { public static let name = \"\(target)\" }\n"
            try writeFile(source, to: "\(directory)/Sources/\(target)/\(target).swift")
        }
    }
}

private struct Manifest {
    let name: String
    var products: [String] = []
    var dependencies: [String] = []
    let targets: [String]

    func write(into directory: String) throws {
        let lists = [("products", products), ("dependencies", dependencies), ("targets", targets)]
        let parts = lists.filter { !$1.isEmpty }.map { "\($0): [\($1.joined(separator: ",\n"))]" }
        let text = """
            // swift-tools-version: 6.2
            import PackageDescription

            let package = Package(name: "\(name)", \(parts.joined(separator: ", ")))
            """
        try writeFile(text, to: "\(directory)/Package.swift")
    }
}

/// Writes a file, and the directories to it.
private func writeFile(_ text: String, to path: String) throws {
    let file = URL(fileURLWithPath: path)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
}
