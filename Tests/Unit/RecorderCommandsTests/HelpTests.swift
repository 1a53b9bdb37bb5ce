import Foundation
import RecorderCommands
import RecorderTestSupport
import Testing

/// Help, completions and the manual page are made from the table of commands.
@Suite struct HelpTests {
    private let table = CommandLineTool.table

    @Test func `every command explains itself, with an example, in lines that fit a terminal`() async throws {
        let tool = try Tool()
        let overview = try await tool.run("help").out
        for command in table.commands {
            #expect(overview.contains("  \(command.name) "))
            let text = HelpText.text(of: command)
            #expect(text.contains("usage: kinesis-recorder \(command.name)") && text.contains("example"))
            #expect(text.split(separator: "\n").allSatisfy { $0.count <= 90 })
            #expect(Set(command.allOptions.map(\.name)).count == command.allOptions.count)
            let letters = command.allOptions.compactMap(\.letter)
            #expect(Set(letters).count == letters.count)
        }
        let asked = try await tool.run("submit", "--help")
        let submit = try #require(table.command("submit"))
        #expect(asked.status == 0 && asked.out == HelpText.text(of: submit) + "\n")
        let version = try await tool.run("version").out
        #expect(version.hasPrefix("kinesis-recorder "))
        #expect(try await tool.run("--version").out == version)
    }

    @Test func `bash loads the completions, and completes commands, options and values`() async throws {
        let script = """
            \(Completions(table).bash)
            try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _kinesis_recorder; echo "${COMPREPLY[*]}"; }
            try kinesis-recorder su
            try kinesis-recorder save app --sub
            try kinesis-recorder save app --delimiter n
            try kinesis-recorder help do
            """
        let (status, out) = try bash(script)
        #expect(status == 0)
        #expect(out == "submit\n--submit\nnone\ndoctor\n")
    }

    @Test func `every option is in each shell's completions and in the manual page`() {
        let completions = Completions(table)
        for text in [
            completions.bash, completions.zsh, completions.fish, ManPage(table).text.replacing("\\-", with: "-"),
        ] {
            for option in table.commands.flatMap(\.allOptions) {
                #expect(text.contains("--\(option.name)") || text.contains("-l \(option.name)"))
            }
        }
    }

    private func bash(_ script: String) throws -> (status: Int32, out: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["--norc", "-c", script]
        let output = Pipe()
        process.standardOutput = output
        let end = try ProcessEnd(starting: process)
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        end.wait()
        return (process.terminationStatus, String(decoding: text, as: UTF8.self))
    }
}
