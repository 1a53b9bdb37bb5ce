import CRecorderProcess
import Glibc
import RecorderConcurrency

/// SIGINT, SIGTERM and SIGHUP. The first one asks for an orderly end, one after it ends the process at once. A command that
/// runs until it is stopped may take SIGHUP for something else.
///
/// A signal that was ignored when the program started (nohup, `&` in a script) stays ignored. One instance per process.
final class StopSignal: Sendable {
    static let shared = StopSignal()

    private struct State {
        var requests = StopRequests()
        /// The first signal, once the actions have run.
        var number: Int32?
        var actions: [@Sendable () -> Void] = []
        /// What SIGHUP leads to instead of a stop, and whether that is being done.
        var hangUp: (@Sendable () -> Void)?
        var isHangingUp = false
        var timers: [Timer] = []
    }

    private struct Timer {
        let due: ContinuousClock.Instant
        let endsAtStop: Bool
        let action: @Sendable () -> Void
    }

    /// Readable from the first signal on; for poll(2).
    let descriptor: Int32

    private let state = Locked(State())
    /// Written once and never read, so that it stays readable.
    private let stopped: (read: Int32, write: Int32)

    /// Signal handlers write to this pipe. A thread reads it, which may do what a handler must not, such as take a lock.
    private static let signals = openPipe()

    private static func openPipe() -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        _ = unsafe pipe2(&ends, O_CLOEXEC)
        return (ends[0], ends[1])
    }

    private init() {
        stopped = Self.openPipe()
        descriptor = stopped.read
        _ = Self.signals
        do throws(ThreadShortage) {
            try startThread(named: "recorder-signal") { self.run() }
        } catch {
            // A command has not begun before it handles signals.
            Output.write("\(Program.name): \(error.message)\n", to: STDERR_FILENO)
            _exit(ExitStatus.tryLater.rawValue)
        }
        for number in [SIGINT, SIGTERM, SIGHUP] {
            var old = sigaction()
            guard unsafe sigaction(number, nil, &old) == 0, !Self.isIgnored(old) else { continue }
            var action = sigaction()
            unsafe action.__sigaction_handler.sa_handler = { number in
                var byte = UInt8(truncatingIfNeeded: number)
                _ = unsafe write(StopSignal.signals.write, &byte, 1)
            }
            action.sa_flags = SA_RESTART
            _ = unsafe sigaction(number, &action, nil)
        }
    }

    private func run() {
        // The parent process may have left them blocked.
        var all = sigset_t()
        _ = unsafe sigfillset(&all)
        _ = unsafe pthread_sigmask(SIG_UNBLOCK, &all, nil)
        while true {
            var waited = pollfd(fd: Self.signals.read, events: Int16(POLLIN), revents: 0)
            if unsafe poll(&waited, 1, timeToNextTimer()) > 0 {
                var number: UInt8 = 0
                // 0 stands for a new timer.
                if unsafe read(Self.signals.read, &number, 1) == 1, number != 0 { take(Int32(number)) }
            }
            for timer in dueTimers() { timer.action() }
        }
    }

    /// In milliseconds for poll(2), which takes no more; -1 without timers. Rounded up, or the last rounds would spin.
    private func timeToNextTimer() -> Int32 {
        guard let next = state.withLock({ $0.timers.map(\.due).min() }) else { return -1 }
        return Int32(min(max((next - .now) / .milliseconds(1), 0), 1e9).rounded(.up))
    }

    private func dueTimers() -> [Timer] {
        // One time for both: a timer that became due in between would be removed and not run.
        let now = ContinuousClock.now
        return state.withLock { state in
            let isStopped = state.number != nil
            let isDue = { (timer: Timer) in timer.due <= now || timer.endsAtStop && isStopped }
            defer { state.timers.removeAll(where: isDue) }
            return state.timers.filter(isDue)
        }
    }

    /// Runs `action` after a time, on the thread of signals, so that none must be started for it. It must be short.
    func run(after delay: Duration, orAtStop endsAtStop: Bool = false, _ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.timers.append(Timer(due: .now + delay, endsAtStop: endsAtStop, action: action)) }
        _ = unsafe write(Self.signals.write, "", 1)
    }

    private static func isIgnored(_ action: sigaction) -> Bool {
        let handler = unsafe action.__sigaction_handler.sa_handler
        return unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// The first signal, once it has arrived.
    var number: Int32? { state.withLock { $0.number } }

    /// Runs `action` before a signal that arrives can be seen here, or at once if one already has arrived. So the process does
    /// not end before it has run. It must be short: a second signal waits for it.
    func whenStopped(_ action: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            if !state.requests.haveBegun { state.actions.append(action) }
            return state.requests.haveBegun
        }
        if isLate { action() }
    }

    /// From now on SIGHUP calls `action` and stops nothing, unless a terminal controls the process: then it says that the
    /// terminal is gone. To a service it is the usual request to read the configuration again.
    func onHangUp(_ action: @escaping @Sendable () -> Void) {
        guard !Self.hasTerminal else { return }
        state.withLock { $0.hangUp = action }
    }

    private static var hasTerminal: Bool {
        let terminal = unsafe open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard terminal >= 0 else { return false }
        _ = close(terminal)
        return true
    }

    /// Waits for `duration`, or until a signal arrives.
    func pause(_ duration: Duration) async {
        await withCheckedContinuation { continuation in
            run(after: duration, orAtStop: true) { continuation.resume() }
        }
    }

    private func take(_ number: Int32) {
        if number == SIGHUP, state.withLock({ $0.hangUp }) != nil { return takeHangUp() }
        // Without the lock while they run: an action may take its time, or read the signal.
        let actions: [@Sendable () -> Void]? = state.withLock { state in
            switch state.requests.take(at: .now) {
            case .first: return state.actions
            case .repetition: return nil
            case .impatient: _exit(128 + number)
            }
        }
        guard let actions else { return }
        for action in actions { action() }
        state.withLock { state in
            state.number = number
            // A signal that arrived meanwhile is read now.
            state.requests.restart(at: .now)
        }
        _ = unsafe write(stopped.write, "!", 1)
    }

    /// On a thread of its own: it prints, which may take for ever, and a stop must not wait for that. One at a time.
    private func takeHangUp() {
        let hangUp = state.withLock { state in
            defer { state.isHangingUp = true }
            return state.isHangingUp ? nil : state.hangUp
        }
        guard let hangUp else { return }
        let end = { @Sendable [self] in state.withLock { $0.isHangingUp = false } }
        do throws(ThreadShortage) {
            try startThread(named: "recorder-hangup", timeout: .zero) {
                hangUp()
                end()
            }
        } catch {
            end()
        }
    }
}

/// What each signal asks for.
package struct StopRequests: Sendable {
    package enum Meaning: Sendable {
        /// An orderly end.
        case first
        /// The same once more: `timeout` signals the process, and then its group.
        case repetition
        /// An end at once.
        case impatient
    }

    private static let repetitionTime = Duration.milliseconds(500)

    private var first: ContinuousClock.Instant?

    package init() {}

    var haveBegun: Bool { first != nil }

    package mutating func take(at now: ContinuousClock.Instant) -> Meaning {
        guard let first else {
            self.first = now
            return .first
        }
        return now - first < Self.repetitionTime ? .repetition : .impatient
    }

    /// Measures repetitions from now on.
    package mutating func restart(at now: ContinuousClock.Instant) { first = now }
}
