import AWSKinesis
import Foundation
import Glibc
import RecorderTestSupport
import Testing

/// Threads with little stack, as servers with many threads have.
@Suite(.timeLimit(.minutes(2))) struct SmallStackTests {
    /// In a separate process, which a stack overflow ends.
    @Test func `a thread with 64 KiB of stack can save and submit, and one with 256 KiB can read counts`() async {
        await #expect(processExitsWith: .success) {
            let recorder = try Recorders.kinesis()
            Self.run(withStack: 64) {
                let save = recorder.saveRecord(Data("a".utf8), streamName: "stream", partitionKey: "key")
                save?.waitUntilFinished()
                recorder.submitAllRecords().waitUntilFinished()
            }
            // With an idle store, the calling thread reads.
            Self.run(withStack: 256) { _ = recorder.diskBytesUsed }
            #expect(recorder.diskBytesUsed > 0)
        }
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs the work on a thread with so many KiB of stack.
    private static func run(withStack size: Int, _ body: @escaping @Sendable () -> Void) {
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        defer { attributes.deallocate() }
        pthread_attr_init(attributes)
        pthread_attr_setstacksize(attributes, size << 10)
        var thread = pthread_t()
        let work = Unmanaged.passRetained(Work(body)).toOpaque()
        pthread_create(
            &thread,
            attributes,
            { work in
                if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
                return nil
            },
            work
        )
        pthread_join(thread, nil)
        pthread_attr_destroy(attributes)
    }
}
