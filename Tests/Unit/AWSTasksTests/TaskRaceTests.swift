import AWSTasks
import Foundation
import Testing

/// Several threads use the same task. Run these with `--sanitize=thread` too.
struct TaskRaceTests {
    private static let threads = 8

    @Test func `of several threads that try to complete a task one succeeds`() {
        for _ in 0..<1_000 {
            let source = AWSTaskCompletionSource<NSNumber>()
            let winners = Shared<[Int]>([])
            let ran = Shared(0)
            source.task.continueWith { _ in ran.change { $0 += 1 } }
            DispatchQueue.concurrentPerform(iterations: Self.threads) { number in
                let took =
                    switch number % 3 {
                    case 0: source.trySet(result: number as NSNumber)
                    case 1: source.trySet(error: NSError(domain: "test", code: number))
                    default: source.trySetCancelled()
                    }
                if took { winners.change { $0.append(number) } }
                // A thread that lost the race finds the task completed at once.
                if !source.task.isCompleted { Issue.record("pending after a try") }
            }
            let winner = winners.value
            #expect(winner.count == 1)
            #expect(ran.value == 1)
            switch winner[0] % 3 {
            case 0: #expect(source.task.result?.intValue == winner[0])
            case 1: #expect((source.task.error as Any as? NSError)?.code == winner[0])
            default: #expect(source.task.isCancelled)
            }
        }
    }

    @Test func `no continuation is lost or run twice, whenever it is added`() {
        for _ in 0..<200 {
            let source = AWSTaskCompletionSource<NSNumber>()
            let ran = Shared<[Int: Int]>([:])
            DispatchQueue.concurrentPerform(iterations: Self.threads) { thread in
                if thread == Self.threads / 2 {
                    source.set(result: 5)
                    return
                }
                for number in 0..<50 {
                    source.task.continueWith { task in
                        if task.result != 5 { Issue.record("ran before the result was there") }
                        ran.change { $0[thread * 50 + number, default: 0] += 1 }
                        return nil
                    }
                }
            }
            #expect(ran.value.count == (Self.threads - 1) * 50)
            #expect(ran.value.values.allSatisfy { $0 == 1 })
        }
    }

    @Test func `all of 100,000 tasks completes once, however they are completed`() async throws {
        let sources = (0..<100_000).map { _ in AWSTaskCompletionSource<NSNumber>() }
        let all = AWSTask(forCompletionOfAllTasks: sources.map(\.task))
        let results = AWSTask(forCompletionOfAllTasksWithResults: sources.map(\.task))
        let any = AWSTask(forCompletionOfAnyTask: sources.map(\.task))
        let ran = Shared(0)
        all.continueWith { _ in ran.change { $0 += 1 } }
        let slice = sources.count / Self.threads
        DispatchQueue.concurrentPerform(iterations: Self.threads) { thread in
            for index in (thread * slice)..<((thread + 1) * slice) {
                sources[index].task.continueWith { _ in ran.change { $0 += 1 } }
                sources[index].set(result: index as NSNumber)
            }
        }
        #expect(all.isCompleted && !all.isFaulted && !all.isCancelled)
        #expect(ran.value == sources.count + 1)
        #expect(results.result as? [Int] == Array(0..<sources.count))
        #expect(any.result is NSNumber)
    }

    @Test func `errors that come at the same time are all listed`() throws {
        let sources = (0..<1_000).map { _ in AWSTaskCompletionSource<NSNumber>() }
        let all = AWSTask(forCompletionOfAllTasks: sources.map(\.task))
        DispatchQueue.concurrentPerform(iterations: sources.count) { index in
            sources[index].set(error: NSError(domain: "test", code: index))
        }
        let errors = (all.error as Any as? NSError)?.userInfo[AWSTaskMultipleErrorsUserInfoKey] as? [NSError]
        #expect(Set(try #require(errors).map(\.code)) == Set(0..<1_000))
    }

    @Test func `a token is cancelled once, and every observer is called once`() {
        for _ in 0..<500 {
            let source = AWSCancellationTokenSource()
            let called = Shared<[Int: Int]>([:])
            // Disposed of at the end only: one that is disposed of earlier is not called.
            let observers = Shared<[AWSCancellationTokenRegistration]>([])
            let pending = AWSTaskCompletionSource<NSNumber>()
            let chain = pending.task.continueWith(block: { _ in nil }, cancellationToken: source.token)
            DispatchQueue.concurrentPerform(iterations: Self.threads) { thread in
                let observer = source.token.registerCancellationObserver {
                    called.change { $0[thread, default: 0] += 1 }
                }
                observers.change { $0.append(observer) }
                source.cancel()
                _ = pending.trySet(result: nil)
            }
            for observer in observers.value { observer.dispose() }
            #expect(called.value == Dictionary(uniqueKeysWithValues: (0..<Self.threads).map { ($0, 1) }))
            #expect(chain.isCancelled)
        }
    }

    @Test func `awaiting Swift tasks are cancelled while their task completes`() async {
        for _ in 0..<200 {
            let source = AWSTaskCompletionSource<NSNumber>()
            let waiting = (0..<4).map { _ in Task { try await source.task.value?.intValue } }
            await withTaskGroup { group in
                group.addTask { source.set(result: 5) }
                for task in waiting.prefix(2) { group.addTask { task.cancel() } }
            }
            for task in waiting.prefix(2) {
                switch await task.result {
                case .success(let value): #expect(value == 5)
                case .failure(let error): #expect(error is CancellationError)
                }
            }
            for task in waiting.suffix(2) { #expect((try? await task.value) == 5) }
        }
    }
}
