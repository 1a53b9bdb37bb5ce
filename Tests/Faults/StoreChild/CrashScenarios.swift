import Foundation
import RecorderAWS
import RecorderEngine
import RecorderHTTP
import RecorderStore
import RecorderTestSupport

/// Scenarios with a wrong clock, a failing network and exhausted memory.
extension StoreChild {
    /// One submit with short timeouts; the journal gets the kind of failure that ended it.
    func submitWithShortTimeouts() async {
        do {
            for failure in try await store.flush().failures {
                guard case .service(let cause) = failure.error, case .transport(let transport) = cause.kind else {
                    journal.note(failure.error.message)
                    continue
                }
                journal.note("\(transport.kind)")
            }
        } catch {
            journal.failed(error)
        }
    }

    /// `count` saves and a submit, with an age limit of one day.
    func aged() async {
        store.pipeline.configure { $0.limits.age = .seconds(86_400) }
        await save()
        await submit()
    }

    /// `count` saves; stops itself until the test has moved the clock; then `count` more saves and a submit.
    func clock() async {
        await save()
        kill(getpid(), SIGSTOP)
        for number in count..<2 * count { await save("\(name)-\(number)", to: "stream") }
        await submit()
    }

    /// Saves and submits while another thread allocates all memory but `count` KiB, and all that is freed later.
    func starve() async {
        let addresses = __rlimit_resource_t(RLIMIT_AS.rawValue)
        let inUse = rlim_t(Self.addressKilobytes() + count) << 10
        var limit = rlimit(rlim_cur: inUse, rlim_max: inUse)
        guard setrlimit(addresses, &limit) == 0 else { fatalError("no limit: \(errno)") }
        Thread.detachNewThread {
            while true {
                if let piece = malloc(32 << 10) { memset(piece, 1, 32 << 10) }
                usleep(500)
            }
        }
        await run(savers: 2, acknowledgesEarly: false)
    }

    private static func addressKilobytes() -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmSize:") }
        return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
    }
}
