import Foundation
import RecorderHTTP
import RecorderTestSupport

/// A Kinesis and a Firehose as the doctor asks them: `missing` does not exist, `forbidden` may not be used, all others are right.
final class DoctorService: Sendable {
    private let server: LocalServer

    /// `clockError` is how far its clock is ahead.
    init(clockError: TimeInterval = 0) throws {
        server = try LocalServer { request, _ in
            let formatter = DateFormatter()
            formatter.locale = Locale(identifier: "en_US_POSIX")
            formatter.timeZone = TimeZone(identifier: "GMT")
            formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
            let date = HTTPHeader("Date", formatter.string(from: Date() + clockError))
            guard let code = Self.code(for: request) else {
                return .json(
                    200,
                    #"{"StreamNames":[],"DeliveryStreamNames":[],"HasMoreStreams":false}"#,
                    headers: [date]
                )
            }
            return .json(400, #"{"__type":"\#(code)","message":"as asked"}"#, headers: [date])
        }
    }

    var url: String { server.url }

    private static func code(for request: ReceivedRequest) -> String? {
        let body = String(decoding: request.body, as: UTF8.self)
        let operation = request.operation ?? ""
        if operation.hasPrefix("List") { return nil }
        if body.contains(#""missing""#) { return "ResourceNotFoundException" }
        guard !body.contains(#""forbidden""#), operation.hasPrefix("Put") else {
            return "AccessDeniedException"
        }
        return operation == "PutRecords" ? "DryRunOperationException" : "InvalidArgumentException"
    }
}

/// A systemd that knows one unit: what `systemctl show` and `systemctl cat` of version 252 print of it.
struct StandInSystemd {
    /// The unit's environment file.
    let settings: String

    /// Puts it before the real one in the tool's PATH.
    init(
        in tool: inout Tool,
        loadState: String = "loaded",
        environment: String = "",
        user: String = "",
        command: String
    )
        throws
    {
        settings = tool.home.path("unit.conf")
        let directory = tool.home.path("bin")
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        let text = """
            Id=recorder-test.service
            LoadState=\(loadState)
            ActiveState=inactive
            ExecMainStatus=0
            Environment=\(environment)
            EnvironmentFiles=\(tool.home.path("nothing.conf")) (ignore_errors=yes)
            EnvironmentFiles=\(settings) (ignore_errors=no)
            ExecStart={ path=/usr/bin/kinesis-recorder ; argv[]=/usr/bin/kinesis-recorder \(command) ; ignore_errors=no ; \
            start_time=[n/a] ; stop_time=[n/a] ; pid=0 ; code=(null) ; status=0/0 }
            DynamicUser=no
            User=\(user)
            StateDirectory=
            RuntimeDirectory=recorder-test
            LoadCredential=[unprintable]
            """
        let credential = "LoadCredential=agent.json:\(tool.home.path("agent.json"))"
        let script = """
            #!/bin/sh
            if [ "$2" = cat ]; then echo '\(credential)'; exit; fi
            cat <<'END'
            \(text)
            END
            """
        let path = "\(directory)/systemctl"
        try Data(script.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        tool.environment["PATH"] = "\(directory):/usr/bin:/bin"
    }

    /// Writes the settings that the tool has as variables, and `more`, for this user alone. The tool keeps none of them.
    func write(from tool: inout Tool, _ more: String = "") throws {
        var lines: [String] = []
        for (name, value) in tool.environment where name.hasPrefix("AWS_") {
            lines.append("\(name)=\"\(value)\"")
            tool.environment[name] = nil
        }
        lines.append("AWS_KINESIS_RECORDER_DIR=\(tool.home.path("unit-store"))")
        try Data((lines.joined(separator: "\n") + "\n\(more)\n").utf8).write(to: URL(fileURLWithPath: settings))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: settings)
    }
}
