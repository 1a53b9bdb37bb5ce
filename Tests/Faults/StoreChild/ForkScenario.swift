import Foundation
import RecorderEngine
import RecorderStore
import RecorderTestSupport

/// A process and its forked child. The child has only the thread that called `fork`, so Swift's `async` does not work
/// there and its work waits on semaphores.
extension StoreChild {
    /// The forked child tries every operation on the store that this process uses; then this process continues.
    func fork() async {
        await save("\(name)-before", to: "stream")
        await submit()
        await save("\(name)-kept", to: "stream")
        inForkedChild {
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

    /// A submit, during which the process forks. The forked child does nothing, and stays.
    func leaveForkedChild() async {
        await save("\(name)-kept", to: "stream")
        let submitting = Task { await submit() }
        while access("\(journal.path).requested", F_OK) != 0 { usleep(1_000) }
        let child = Glibc.fork()
        if child == 0 { while true { pause() } }
        journal.note("\(child)")
        _ = await submitting.value
    }

    /// A submit, during which the process starts a program, as libraries do: without saying which files it gets. Notes those.
    func spawnProgram() async {
        await save("\(name)-kept", to: "stream")
        let submitting = Task { await submit() }
        while access("\(journal.path).requested", F_OK) != 0 { usleep(1_000) }
        let script = "for file in /proc/$$/fd/*; do readlink $file; done > '\(journal.path).files'; true"
        let arguments: [String] = ["sh", "-c", script]
        var words = arguments.map { strdup($0) } + [nil]
        var child: pid_t = 0
        guard posix_spawn(&child, "/bin/sh", nil, nil, &words, environ) == 0 else { fatalError("no program started") }
        journal.note("the program ended with \(Self.end(of: child))")
        _ = await submitting.value
    }

    /// Continues in a forked child while this process waits for it to exit, as in a program that daemonizes itself.
    static func continueInForkedChild() {
        let child = Glibc.fork()
        guard child > 0 else { return }
        exit(end(of: child) == 0 ? 0 : 1)
    }

    /// Runs `work` in a forked child and waits for it to exit.
    private func inForkedChild(_ work: () -> Void) {
        let child = Glibc.fork()
        if child == 0 {
            work()
            _exit(0)
        }
        journal.note("the forked child ended with \(Self.end(of: child))")
    }

    /// The forked child's exit status. Kills the child if it has not exited after a minute.
    private static func end(of child: pid_t) -> Int32 {
        var status: Int32 = -1
        for _ in 0..<6_000 {
            guard waitpid(child, &status, WNOHANG) == 0 else { return status }
            usleep(10_000)
        }
        kill(child, SIGKILL)
        waitpid(child, &status, 0)
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
