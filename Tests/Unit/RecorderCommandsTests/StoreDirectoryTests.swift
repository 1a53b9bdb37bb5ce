import Foundation
import RecorderTestSupport
import Testing

/// The directory of a store, however it is named: links, relative names, permissions.
@Suite(.timeLimit(.minutes(10))) struct StoreDirectoryTests {
    private let line = Data("a\n".utf8)

    private func link(_ path: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    }

    private func status(_ tool: Tool, _ words: String...) async throws -> String {
        let ran = await (try tool.start(["status"] + words)).end()
        #expect(ran.status == 0, "\(ran.err)")
        return ran.out
    }

    @Test func `a link to a directory works, and every name opens the same store`() async throws {
        let tool = try Tool()
        let real = tool.home.path("real")
        #expect(mkdir(real, 0o755) == 0)
        try link(tool.home.path("link"), to: real)
        try link(tool.home.path("again"), to: "link/")
        for name in ["link", "again", "real", "link/../real/."] {
            let ran = try await tool.run("save", "app", "-d", tool.home.path(name), input: line)
            #expect(ran.status == 0, "\(name): \(ran.err)")
        }
        #expect(try await status(tool, "-d", real).contains("4 records"))
    }

    @Test(arguments: ["HOME", "STATE_DIRECTORY", "XDG_STATE_HOME", "AWS_KINESIS_RECORDER_DIR"])
    func `each variable may name a link or a directory below one`(variable: String) async throws {
        var tool = try Tool()
        #expect(mkdir(tool.home.path("private"), 0o755) == 0 && mkdir(tool.home.path("private/unit"), 0o755) == 0)
        // As systemd does for DynamicUser=: /var/lib/unit -> private/unit
        try link(tool.home.path("unit"), to: "private/unit")
        tool.environment[variable] = tool.home.path("unit")
        #expect(try await tool.run("save", "app", input: line).status == 0)
        tool.environment[variable] = tool.home.path("private/unit")
        #expect(try await tool.run("save", "app", input: line).status == 0)
        #expect(try await status(tool).contains("2 records"))
        let doctor = try await tool.run("doctor", "--offline")
        #expect(!doctor.out.contains("FAIL  store") && !doctor.out.contains("FAIL  directory"), "\(doctor.out)")
    }

    @Test func `a link to nothing and links in a circle are named by save and by the doctor`() async throws {
        let tool = try Tool()
        let (gone, loop) = (tool.home.path("gone"), tool.home.path("loop"))
        try link(gone, to: "/nowhere/at/all")
        try link(loop, to: "loop")
        for (path, text) in [
            (gone, "\(gone) is a symbolic link to /nowhere/at/all, which does not exist"),
            ("\(loop)/records", "\(loop) is a symbolic link to loop, which is part of a loop"),
        ] {
            let saved = try await tool.run("save", "app", "-d", path, input: line)
            #expect(saved.status == 74 && saved.err.contains(text), "\(saved.err)")
            let doctor = try await tool.run("doctor", "--offline", "-d", path)
            #expect(doctor.status == 74 && doctor.out.contains("FAIL  directory"), "\(doctor.out)")
            #expect(doctor.out.contains(text))
            for command in ["status", "submit"] {
                let ran = try await tool.run(command, "-d", path)
                #expect(ran.status == 74 && ran.err.contains(text), "\(command): \(ran.out)\(ran.err)")
            }
        }
    }

    @Test func `the doctor shows the real directory, the links to it, owners and modes`() async throws {
        let tool = try Tool()
        let (real, linked) = (tool.home.path("real"), tool.home.path("link"))
        #expect(mkdir(real, 0o755) == 0)
        try link(linked, to: "real")
        _ = try await tool.run("save", "app", "-d", linked, input: line)
        let well = try await tool.run("doctor", "--offline", "-d", "\(linked)/")
        #expect(well.out.contains("ok    directory   \(real)\n"), "\(well.out)")
        #expect(well.out.contains("ok    link        \(linked) -> real\n"))
        #expect(well.out.contains("ok    rights      directory 0755, kinesis.db 0600, "))
        #expect(chmod("\(real)/kinesis.db", 0o644) == 0)
        let loose = try await tool.run("doctor", "--offline", "-d", linked)
        #expect(loose.out.contains("warn  rights      \(real)/kinesis.db had mode 0644"), "\(loose.out)")
        #expect(chmod(real, 0o777) == 0)
        let open = try await tool.run("doctor", "--offline", "-d", linked)
        #expect(open.status == 74 && open.out.contains("FAIL  rights      "), "\(open.out)")
        #expect(open.out.contains("-> Run: chmod go-w \(real)"))
        let refused = try await tool.run("save", "app", "-d", linked, input: line)
        #expect(refused.status == 74 && refused.err.contains("chmod go-w \(real)"), "\(refused.err)")
    }

    @Test(.enabled(if: Privileges.givesFilesAway, "only root can give a file away, and not in each container"))
    func `the doctor names the command for another user's file`() async throws {
        let tool = try Tool()
        let store = tool.home.path("store")
        _ = try await tool.run("save", "app", "-d", store, input: line)
        #expect(
            chown("\(store)/kinesis.db-wal", 54_321, 54_321) == 0 || chown("\(store)/kinesis.db", 54_321, 54_321) == 0
        )
        #expect(chown("\(store)/kinesis.db.lock", 54_321, 54_321) == 0)
        let ran = try await tool.run("doctor", "--offline", "-d", store)
        #expect(ran.status == 74)
        #expect(ran.out.contains("\(store)/kinesis.db.lock belongs to another user (id 54321)"), "\(ran.out)")
        #expect(ran.out.contains("sudo chown 0 \(store)/kinesis.db.lock"))
    }

    @Test func `a relative directory is relative to the working directory, and an empty one is refused`() async throws {
        let tool = try Tool()
        let shell = "cd \"$HOME\" && printf 'a\\n' | \"\(Tool.path)\" save app -d rel/./x"
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", shell]
        process.environment = tool.environment
        await (try ProcessEnd(starting: process)).finished()
        #expect(process.terminationStatus == 0)
        #expect(try await status(tool, "-d", tool.home.path("rel/x")).contains("1 record"))
        let empty = try await tool.run("save", "app", "-d", "", input: line)
        #expect(empty.status != 0 && empty.err.contains("is empty"), "\(empty.err)")
        let directory = FileManager.default.currentDirectoryPath
        #expect(!FileManager.default.fileExists(atPath: "\(directory)/kinesis.db"))
    }

    @Test func `a name that is not UTF-8 is refused, and no other directory is used`() async throws {
        let tool = try Tool()
        let script = "cd \"$HOME\" && mkdir h && d=\"$(printf 'h/\\377x')\" && mkdir \"$d\" && printf 'a\\n' | "
        for rest in ["\"\(Tool.path)\" save app -d \"$d\"", "HOME=\"$PWD/$d\" \"\(Tool.path)\" save app"] {
            let process = Process()
            let err = Pipe()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", "rm -rf \"$HOME/h\"; \(script)\(rest)"]
            process.environment = tool.environment
            process.standardError = err
            await (try ProcessEnd(starting: process)).finished()
            let text = String(decoding: err.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            #expect(process.terminationStatus != 0 && text.contains("not UTF-8"), "\(text)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: tool.home.path("h")).count <= 1)
        }
    }
}
