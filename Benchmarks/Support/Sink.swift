import Foundation

/// A service that accepts every record, over TLS, in a separate process, so that its cost is not measured.
///
/// Compiled and given a new certificate at each start, so that the sources contain no binary and no key. Exits when
/// this value is released or this program ends.
final class Sink {
    let url: String
    /// The certificate that clients must trust.
    let certificate: String

    /// What a program that sends to it needs in its environment.
    var environment: [String: String] {
        [
            "AWS_CA_BUNDLE": certificate, "no_proxy": "127.0.0.1", "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "secret",
        ]
    }

    private let directory: ScratchDirectory
    private let process: Process
    private let input = Pipe()

    /// Starts it; `latency` is the time from a request's last byte to its answer, in milliseconds.
    init(latency: Int = 0) throws {
        directory = try ScratchDirectory()
        let key = directory.path("key.pem")
        certificate = directory.path("certificate.pem")
        let program = try Program.compile("sink.c", in: directory, "-lssl", "-lcrypto")
        try Program.run(
            "openssl",
            "req",
            "-x509",
            "-nodes",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-days",
            "2",
            "-subj",
            "/CN=127.0.0.1",
            "-addext",
            "subjectAltName=IP:127.0.0.1",
            "-keyout",
            key,
            "-out",
            certificate
        )
        let output = Pipe()
        process = try Program.start([program, certificate, key, "\(latency)"], input: input, output: output)
        let port = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = UInt16(port.trimmingCharacters(in: .newlines)) else { fatalError("The sink did not start.") }
        url = "https://127.0.0.1:\(port)/"
    }

    deinit {
        // It exits when its input closes. If this fails, it has exited already.
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
