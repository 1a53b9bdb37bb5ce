import AWSTasks
import Foundation
import Testing

struct TaskWaitTests {
    @Test func `waiting returns once the task is completed, to every thread, any number of times`() async {
        let source = AWSTaskCompletionSource<NSString>()
        async let waiters = withTaskGroup(of: Bool.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    await onThread(stackSize: 512 * 1024) {
                        source.task.waitUntilFinished()
                        source.task.waitUntilFinished()
                        return source.task.isCompleted
                    }
                }
            }
            return await group.allSatisfy { $0 }
        }
        DispatchQueue.global().async { source.set(result: nil) }
        #expect(await waiters)
    }

    @Test func `a waiting thread is woken before any continuation runs`() {
        let source = AWSTaskCompletionSource<NSString>()
        let woken = DispatchSemaphore(value: 0)
        let waiting = DispatchSemaphore(value: 0)
        var wasWoken = false
        source.task.continueWith { _ in
            wasWoken = woken.wait(timeout: .now() + 30) == .success
            return nil
        }
        let thread = Thread {
            // The thread continues while the block is held up, whether or not it began to wait in time.
            waiting.signal()
            source.task.waitUntilFinished()
            woken.signal()
        }
        thread.start()
        waiting.wait()
        source.set(result: nil)
        #expect(wasWoken)
    }

    @Test func `waiting on the main thread warns once, on standard error, and waits`() async throws {
        let exit = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            await MainActor.run {
                AWSTask(result: nil).waitUntilFinished()
                for _ in 0..<2 {
                    let task = AWSTask<NSString>(delay: 20)
                    task.waitUntilFinished()
                    precondition(task.isCompleted)
                }
            }
        }
        let message = String(decoding: try #require(exit).standardErrorContent, as: UTF8.self)
        #expect(message.components(separatedBy: "blocking the main thread").count == 2)
    }

    @Test func `waiting on another thread does not warn`() async throws {
        let exit = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            await onThread(stackSize: 512 * 1024) { AWSTask<NSString>(delay: 20).waitUntilFinished() }
        }
        let message = String(decoding: try #require(exit).standardErrorContent, as: UTF8.self)
        #expect(!message.contains("blocking the main thread"))
    }
}
