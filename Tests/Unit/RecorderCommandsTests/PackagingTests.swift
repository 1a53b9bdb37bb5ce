import Foundation
import RecorderTestSupport
import Testing

/// The scripts of the package, with a systemd that only writes down what it is asked for.
@Suite(
    .timeLimit(.minutes(2)),
    .enabled(if: Privileges.mounts, "needs the permission to mount")
)
struct PackagingTests {
    private static let packaging =
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../../../Packaging"

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        let systemctl = directory.path("systemctl")
        try Data("#!/bin/sh\necho \"$@\" >> \(directory.path("asked"))\n".utf8).write(
            to: URL(fileURLWithPath: systemctl)
        )
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: systemctl)
    }

    /// Runs a command of the shell where systemd seems to run. Returns what `systemctl` was asked for.
    private func asked(by command: String) async throws -> String {
        let script = """
            mount -t tmpfs none /run && mkdir -p /run/systemd/system && PATH="$1:$PATH" && cd "$2" && \(command)
            """
        let words = ["--mount", "sh", "-c", script, "sh", directory.path, Self.packaging]
        let ran = try await BuiltProgram.run("/usr/bin/unshare", words)
        #expect(ran.status == 0, "\(ran)")
        return (try? String(contentsOfFile: directory.path("asked"), encoding: .utf8)) ?? ""
    }

    private static let units = [
        "kinesis-recorder-agent.service", "kinesis-recorder-follow@*.service", "kinesis-recorder-submit@*.service",
    ]

    @Test func `an upgrade restarts every unit that runs, the first installation none`() async throws {
        #expect(try await asked(by: "sh ./postinst configure") == "daemon-reload\n")
        let restart = try await asked(by: "sh ./postinst configure 1.0-1").split(separator: "\n").last ?? ""
        #expect(restart.hasPrefix("try-restart "), "\(restart)")
        for unit in Self.units { #expect(restart.split(separator: " ").contains(Substring(unit)), "\(restart)") }
    }

    @Test func `the archive's script restarts every unit that runs, and stops them when it removes the program`()
        async throws
    {
        // Below another root the script leaves systemd alone, so /usr and /etc are other directories here.
        let install = """
            cp install.sh /run && cd /run && mkdir -p usr/bin etc && mount -t tmpfs none /usr/local \
            && printf '#!/bin/sh\\n' > usr/bin/kinesis-recorder-test && chmod +x usr/bin/kinesis-recorder-test
            mkdir -p usr/local && mv usr/bin usr/local/bin
            sed -i 's,/usr/bin/kinesis-recorder",/usr/local/bin/kinesis-recorder-test",' install.sh
            sh ./install.sh
            """
        let restart = try await asked(by: install).split(separator: "\n").last ?? ""
        #expect(restart.hasPrefix("try-restart "), "\(restart)")
        for unit in Self.units { #expect(restart.split(separator: " ").contains(Substring(unit)), "\(restart)") }
        let stop =
            try await asked(by: "\(install) --remove").split(separator: "\n").first { $0.hasPrefix("stop ") } ?? ""
        for unit in Self.units { #expect(stop.split(separator: " ").contains(Substring(unit)), "\(stop)") }
    }

    @Test(arguments: ["agent", "follow@", "submit@"])
    func `a mistake in the settings is not tried again and again, anything else is`(unit: String) throws {
        let text = try String(contentsOfFile: "\(Self.packaging)/kinesis-recorder-\(unit).service", encoding: .utf8)
        let lines = text.split(separator: "\n")
        #expect(lines.contains("RestartPreventExitStatus=64 78") && lines.contains("Restart=on-failure"))
    }
}
