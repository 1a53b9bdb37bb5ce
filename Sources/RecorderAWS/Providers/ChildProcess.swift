import CRecorderProcess
import Foundation

/// A program that is run once for what it prints, and never for longer than it may.
///
/// It gets the variables it is given, no standard input, no blocked signal, and a process group of
/// its own, so that whatever it starts ends with it where it takes too long.
struct ChildProcess: Sendable {
    /// Why there is no output; ends a sentence that begins with the program's name.
    struct Failure: Error {
        let reason: String
    }

    private let arguments: [String]
    private let environment: [String: String]
    private let outputLimit: Int
    private let timeout: Duration

    /// A program to run, found through `PATH`, and its arguments.
    init(_ arguments: [String], environment: [String: String], outputLimit: Int, timeout: Duration) {
        self.arguments = arguments
        self.environment = environment
        self.outputLimit = outputLimit
        self.timeout = timeout
    }

    /// Runs it, on a thread of its own, and gives what it printed.
    func output() async throws(Failure) -> [UInt8] {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<[UInt8], Failure>, Never>) in
            Thread.detachNewThread { continuation.resume(returning: Result { () throws(Failure) in try run() }) }
        }
        return try result.get()
    }

    private func run() throws(Failure) -> [UInt8] {
        var pipe: [CInt] = [-1, -1]
        guard pipe2(&pipe, O_CLOEXEC) == 0 else { throw Self.failure("cannot be run", errno) }
        defer { close(pipe[0]) }
        let started = Result { () throws(Failure) in try spawn(writingTo: pipe[1]) }
        // The end of the output shows only when no writer is left.
        close(pipe[1])
        let child = try started.get()
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

    private func spawn(writingTo output: CInt) throws(Failure) -> pid_t {
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
        guard code == 0 else { throw Self.failure("cannot be run", code) }
        return child
    }

    /// All that is written, up to the end or the limit.
    private func read(_ pipe: CInt, until deadline: ContinuousClock.Instant) throws(Failure) -> [UInt8] {
        var output: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while true {
            guard try hasNews(pipe, until: deadline) else { continue }
            let count = Foundation.read(pipe, &piece, piece.count)
            guard count != 0 else { return output }
            guard count > 0 else { throw Self.failure("cannot be read from", errno) }
            output += piece[..<count]
            guard output.count <= outputLimit else { throw Failure(reason: "printed more than \(outputLimit) bytes") }
        }
    }

    /// Waits until there is something to read, or its end; false after an interruption.
    private func hasNews(_ pipe: CInt, until deadline: ContinuousClock.Instant) throws(Failure) -> Bool {
        let left = deadline - .now
        guard left > .zero else { throw tookTooLong }
        var poller = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
        return poll(&poller, 1, CInt(min(left / .milliseconds(1) + 1, 60_000))) > 0
    }

    /// Waits for the end of a program that has closed its output, which is all but always on its way out.
    private func waitForEnd(of child: pid_t, until deadline: ContinuousClock.Instant) throws(Failure) {
        var status: CInt = 0
        while true {
            let ended = waitpid(child, &status, WNOHANG)
            if ended == child { break }
            // Somebody else in this process has taken the status; what was printed has to do.
            if ended < 0, errno == ECHILD { return }
            guard ContinuousClock.now < deadline else { throw tookTooLong }
            usleep(1000)
        }
        guard status != 0 else { return }
        let signal = status & 0x7F
        throw Failure(reason: signal == 0 ? "ended with status \(status >> 8 & 0xFF)" : "was ended by signal \(signal)")
    }

    private var tookTooLong: Failure { Failure(reason: "took longer than \(timeout)") }

    private static func failure(_ what: String, _ code: CInt) -> Failure {
        Failure(reason: "\(what): \(String(cString: strerror(code)))")
    }
}
