import CRecorderProcess
import Glibc
import RecorderConcurrency

/// Runs a program once, with a time limit, and returns its output.
///
/// The program gets only the given environment variables, no standard input, no blocked signals, and its own process group,
/// so that a timeout also ends the processes it has started.
package struct ChildProcess: Sendable {
    /// Why there is no output; the reason completes a sentence that begins with the program's name.
    package struct Failure: Error {
        package let reason: String

        init(reason: String) {
            self.reason = reason
        }

        init(_ event: String, errno code: CInt) {
            reason = "\(event): \(String(errorNumber: code))"
        }
    }

    private let arguments: [String]
    private let environment: [String: String]
    private let outputLimit: Int
    private let timeout: Duration

    /// A program, which is found through `PATH`, and its arguments.
    package init(_ arguments: [String], environment: [String: String], outputLimit: Int, timeout: Duration) {
        self.arguments = arguments
        self.environment = environment
        self.outputLimit = outputLimit
        self.timeout = timeout
    }

    /// Runs the program, on its own thread, and returns its output.
    package func output() async throws(Failure) -> [UInt8] {
        let result: Result<[UInt8], Failure>
        do throws(ThreadShortage) {
            result = try await onNewThread(named: "recorder-child") { Result(catching: run) }
        } catch {
            throw Failure(reason: "cannot be run: \(error.reason)")
        }
        return try result.get()
    }

    private func run() throws(Failure) -> [UInt8] {
        var pipe: [CInt] = [-1, -1]
        guard pipe2(&pipe, O_CLOEXEC) == 0 else { throw Failure("cannot be run", errno: errno) }
        defer { close(pipe[0]) }
        let child = try spawn(writingTo: pipe[1])
        let deadline = ContinuousClock.now + timeout
        do throws(Failure) {
            let output = try read(pipe[0], until: deadline)
            try waitForEnd(of: child, until: deadline)
            return output
        } catch {
            kill(-child, SIGKILL)
            var status: CInt = 0
            waitpid(child, &status, 0)
            throw error
        }
    }

    /// Starts the program, and closes this process's end of its output: the end of the output can be read only when no
    /// writer is left.
    private func spawn(writingTo output: CInt) throws(Failure) -> pid_t {
        defer { close(output) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
        posix_spawnattr_setflags(&attributes, Int16(flags))

        let words = arguments.map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var child: pid_t = 0
        let code = posix_spawnp(&child, arguments.first ?? "", &actions, &attributes, words, variables)
        guard code == 0 else { throw Failure("cannot be run", errno: code) }
        return child
    }

    /// The whole output; throws if it exceeds the limit.
    private func read(_ pipe: CInt, until deadline: ContinuousClock.Instant) throws(Failure) -> [UInt8] {
        var output: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while true {
            guard try isReadable(pipe, until: deadline) else { continue }
            let count = Glibc.read(pipe, &piece, piece.count)
            guard count != 0 else { return output }
            guard count > 0 else { throw Failure("cannot be read from", errno: errno) }
            output += piece[..<count]
            guard output.count <= outputLimit else { throw Failure(reason: "printed more than \(outputLimit) bytes") }
        }
    }

    /// Waits until there is output or its end; false after an interruption.
    private func isReadable(_ pipe: CInt, until deadline: ContinuousClock.Instant) throws(Failure) -> Bool {
        let left = deadline - .now
        guard left > .zero else { throw tookTooLong }
        var poller = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
        return poll(&poller, 1, CInt(min(left / .milliseconds(1) + 1, 60_000))) > 0
    }

    /// Waits for the end of a program that has closed its output. Almost always it is exiting already.
    private func waitForEnd(of child: pid_t, until deadline: ContinuousClock.Instant) throws(Failure) {
        var status: CInt = 0
        while true {
            let ended = waitpid(child, &status, WNOHANG)
            if ended == child { break }
            // Other code in this process has reaped the child. Its output is used without its status.
            if ended < 0, errno == ECHILD { return }
            guard ContinuousClock.now < deadline else { throw tookTooLong }
            usleep(1000)
        }
        guard status != 0 else { return }
        let signal = status & 0x7F
        throw Failure(reason: signal == 0 ? "ended with status \(status >> 8 & 0xFF)" : "was ended by signal \(signal)")
    }

    private var tookTooLong: Failure { Failure(reason: "took longer than \(timeout)") }
}
