import Foundation
import RecorderEngine
import RecorderTestSupport

/// A process and the copy that `fork` makes of it. A copy has the thread that made it and no other: nothing of Swift's
/// `async` goes on there, so what it does waits by semaphores.
extension StoreChild {
    /// The copy tries everything with the store that this process uses; then this process goes on.
    func fork() async {
        await save("\(name)-before", to: "stream")
        await submit()
        await save("\(name)-kept", to: "stream")
        inACopy {
            saveHere("\(name)-copy")
            store.pipeline.flush { note($0) }
            store.pipeline.clear { note($0) }
            store.pipeline.importRecords(from: "/nowhere") { note($0) }
            note(Result { () throws(RecorderError) in try store.pipeline.totals() })
            note(Result { () throws(RecorderError) in try store.pipeline.status() })
        }
        await save("\(name)-after", to: "stream")
        await submit()
    }

    /// Goes on as a copy of this process, which waits for its end, as a program does that makes itself a daemon.
    static func becomeCopy() {
        let copy = Glibc.fork()
        guard copy > 0 else { return }
        exit(end(of: copy) == 0 ? 0 : 1)
    }

    /// Returns when the copy has done its work.
    private func inACopy(_ work: () -> Void) {
        let copy = Glibc.fork()
        if copy == 0 {
            work()
            _exit(0)
        }
        journal.note("the copy ended with \(Self.end(of: copy))")
    }

    /// How the copy ended: killed after a minute, if what it waits for never comes.
    private static func end(of copy: pid_t) -> Int32 {
        var status: Int32 = -1
        for _ in 0..<6_000 {
            guard waitpid(copy, &status, WNOHANG) == 0 else { return status }
            usleep(10_000)
        }
        kill(copy, SIGKILL)
        waitpid(copy, &status, 0)
        return status
    }

    private func saveHere(_ text: String) {
        let isOver = DispatchSemaphore(value: 0)
        store.pipeline.save(Data(text.utf8), stream: "stream", partitionKey: nil) { result in
            switch result {
            case .success: journal.acknowledged(text)
            case .failure(let error): journal.failed(error)
            }
            isOver.signal()
        }
        isOver.wait()
    }

    private func note(_ result: Result<some Any, RecorderError>) {
        if case .failure(let error) = result { journal.failed(error) }
    }
}
