import Foundation
import RecorderEngine
import RecorderStore
import RecorderTestSupport

/// The system gives the process no further thread, and later does again.
extension StoreChild {
    func withoutThreads() {
        ThreadLimit.set(false)
        saveWaiting("refused")
        flushWaiting()
        clearWaiting()
        journal.note("\((try? store.pipeline.totals().records) ?? -1) records")
        ThreadLimit.set(true)
        saveWaiting("kept")
        // The others have ended, and the request waits for its answer.
        let flush = flushLater()
        while access("\(journal.path).requested", F_OK) != 0 { usleep(1_000) }
        ThreadLimit.waitForStoreThreads(1)
        ThreadLimit.set(false)
        journal.note("without threads")
        flush.wait()
        saveWaiting("after")
        ThreadLimit.set(true)
        flushWaiting()
    }

    private func saveWaiting(_ text: String) {
        let answer = Answer(journal)
        store.pipeline.save(Data(text.utf8), stream: "stream", partitionKey: nil) { result in
            if case .success = result { journal.acknowledged(text) }
            answer.give(result)
        }
        answer.wait()
    }

    private func clearWaiting() {
        let answer = Answer(journal)
        store.pipeline.clear { answer.give($0) }
        answer.wait()
    }

    private func flushLater() -> Answer {
        let answer = Answer(journal)
        store.pipeline.flush { answer.give($0) }
        return answer
    }

    private func flushWaiting() { flushLater().wait() }

    /// An answer that must come, whatever happens.
    private struct Answer: Sendable {
        private let journal: Journal
        private let isThere = DispatchSemaphore(value: 0)

        init(_ journal: Journal) {
            self.journal = journal
        }

        func give(_ result: Result<some Any, RecorderError>) {
            if case .failure(let error) = result { journal.failed(error) }
            isThere.signal()
        }

        func wait() {
            if isThere.wait(timeout: .now() + 60) == .timedOut { journal.note("no answer") }
        }
    }
}
