import Foundation
import Glibc

/// A TLS server with a self-signed certificate: `openssl s_server`, which answers a GET with status 200.
package final class TLSServer: Sendable {
    /// The address, `https://127.0.0.1:<port>/`.
    package let url: String

    /// A PEM file with the server's self-signed certificate.
    package var certificate: String { directory.path("certificate.pem") }

    private let directory: TemporaryDirectory
    private let process: Process

    /// Starts a server whose certificate is for `name`, such as `IP:127.0.0.1` or `DNS:example.com`.
    package init(for name: String = "IP:127.0.0.1", arguments: [String] = []) throws {
        directory = try TemporaryDirectory()
        let (key, certificate) = (directory.path("key.pem"), directory.path("certificate.pem"))
        try Self.runOpenSSL(
            ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
                + ["-subj", "/CN=recorder-test", "-addext", "subjectAltName=\(name)"]
                + ["-keyout", key, "-out", certificate]
        )
        let output = Pipe()
        process = try Self.openssl(
            ["s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key, "-www"] + arguments,
            output: output.fileHandleForWriting
        )
        try output.fileHandleForWriting.close()
        url = "https://127.0.0.1:\(try Self.port(announcedOn: output.fileHandleForReading))/"
    }

    /// SIGKILL, because a child started from a pool's thread inherits that thread's blocked signals.
    deinit { kill(process.processIdentifier, SIGKILL) }

    /// Starts a server.
    static func openssl(_ arguments: [String], input: Pipe? = nil, output: FileHandle) throws -> Process {
        let process = process(arguments, input: input, output: output)
        try process.start()
        return process
    }

    /// Runs a command that ends by itself.
    static func runOpenSSL(_ arguments: [String]) throws {
        let process = process(arguments, output: .nullDevice)
        try ProcessEnd(starting: process).wait()
        guard process.terminationStatus == 0 else {
            throw LocalSocket.Failure(description: "openssl \(arguments[0]) ended with \(process.terminationStatus)")
        }
    }

    private static func process(_ arguments: [String], input: Pipe? = nil, output: FileHandle) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardInput = input ?? FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        return process
    }

    /// The port in the line `ACCEPT 127.0.0.1:<port>`.
    static func port(announcedOn output: FileHandle) throws -> Int {
        var text = ""
        while let piece = try output.read(upToCount: 1), !piece.isEmpty {
            text += String(decoding: piece, as: UTF8.self)
            guard text.hasSuffix("\n"), let line = text.split(separator: "\n").last, line.hasPrefix("ACCEPT") else {
                continue
            }
            if let port = line.split(separator: ":").last.flatMap({ Int($0) }) { return port }
        }
        throw LocalSocket.Failure(description: "openssl s_server did not start: \(text)")
    }
}
