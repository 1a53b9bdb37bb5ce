import AWSTasks
import Foundation
import Testing

struct TaskContinuationTests {
    @Test func `continuations run in the order of registration, on a task that is completed`() {
        let source = AWSTaskCompletionSource<NSString>()
        let notes = Notes()
        for number in 1...4 {
            source.task.continueWith { task in
                notes.add("\(number) \(task.isCompleted) \(task.result ?? "")")
                return nil
            }
        }
        #expect(notes.all.isEmpty)
        source.set(result: "x")
        #expect(notes.all == (1...4).map { "\($0) true x" })
    }

    @Test func `a continuation's own continuations run before its next sibling`() {
        let source = AWSTaskCompletionSource<NSString>()
        let notes = Notes()
        func note(_ text: String) -> (AWSAnyTask) -> Any? {
            { _ in
                notes.add(text)
                return nil
            }
        }
        let first = source.task.continueWith(block: note("1"))
        source.task.continueWith(block: note("2"))
        first.continueWith(block: note("1.1")).continueWith(block: note("1.1.1"))
        first.continueWith(block: note("1.2"))
        source.set(result: nil)
        #expect(notes.all == ["1", "1.1", "1.1.1", "1.2", "2"])
    }

    @Test func `a continuation of a completed task runs at once on the calling thread`() {
        let thread = Thread.current
        var ran = false
        AWSTask(result: nil).continueWith { _ in
            ran = Thread.current === thread
            return nil
        }
        #expect(ran)
    }

    @Test func `a continuation is freed once it ran`() {
        let notes = Notes()
        let source = AWSTaskCompletionSource<NSString>()
        var freed: Freed? = Freed(notes)
        source.task.continueWith { [freed] _ in
            _ = freed
            return nil
        }
        freed = nil
        #expect(notes.all.isEmpty)
        source.set(result: nil)
        #expect(notes.all == ["freed"])
    }

    @Test(arguments: Ending.allCases)
    func `continueWith runs whatever the outcome`(end: Ending) {
        let pending = AWSTaskCompletionSource<NSString>()
        let notes = Notes()
        for task in [end.task, pending.task] {
            task.continueWith { task in
                notes.add(ending(of: task))
                return nil
            }
        }
        end.complete(pending)
        #expect(notes.all == [ending(of: end.task), ending(of: end.task)])
    }

    @Test(arguments: Ending.allCases)
    func `continueOnSuccessWith runs after a success only; other outcomes pass through`(end: Ending) throws {
        let pending = AWSTaskCompletionSource<NSString>()
        let notes = Notes()
        let chains = [end.task, pending.task].map { task in
            task.continueOnSuccessWith { task in
                notes.add("ran")
                return task.result
            }.continueOnSuccessWith { task in task.result }
        }
        end.complete(pending)
        #expect(notes.all.count == (end == .success ? 2 : 0))
        for chain in chains {
            #expect(ending(of: chain) == ending(of: end.task))
            #expect(chain.result as? String == (end == .success ? "done" : nil))
            if end == .fault { #expect(try #require(chain.error as Any as? NSError) === Ending.error) }
        }
    }

    @Test func `returning nil after a fault clears it for the rest of the chain`() {
        let chain = Ending.fault.task.continueWith { _ in nil }
        #expect(ending(of: chain) == "success")
        #expect(chain.result == nil)
        #expect(ending(of: Ending.cancellation.task.continueWith { _ in nil }) == "success")
    }

    @Test func `any value except a task becomes the result`() {
        func result(_ block: @escaping () -> Any?) -> AnyObject? {
            AWSTask(result: nil).continueWith { _ in block() }.result
        }
        struct Point: Equatable { var x = 1 }
        let object = NSObject()
        final class Plain {}
        let plain = Plain()
        #expect(result { "x" } as? String == "x")
        #expect(result { 5 } as? Int == 5)
        #expect(result { true } as? Bool == true)
        #expect(result { ["a", "b"] } as? [String] == ["a", "b"])
        #expect(result { ["a": 1] } as? [String: Int] == ["a": 1])
        #expect(result { Data([1, 2]) } as? Data == Data([1, 2]))
        #expect(result { Point() } as? Point == Point())
        #expect(result { object } === object)
        #expect(result { plain } === plain)
        #expect(result { NSNull() } is NSNull)
    }

    @Test func `nil is a nil result, in nested optionals too`() {
        let nothing: String? = nil
        let nested: String?? = .some(nil)
        let values: [Any?] = [nil, nothing as Any?, nothing as Any, nested as Any, ()]
        for value in values {
            let task = AWSTask(result: nil).continueWith { _ in value }
            #expect(task.result == nil)
            #expect(AWSTask(result: value).result == nil)
        }
        let something: String?? = "x"
        #expect(AWSTask(result: nil).continueWith { _ in something as Any }.result as? String == "x")
    }

    @Test func `an error that a block returns is a plain result`() {
        let task = AWSTask(result: nil).continueWith { _ in Ending.error }
        #expect(ending(of: task) == "success")
        #expect(task.result === Ending.error)
    }

    @Test func `an error that a block throws faults its task`() throws {
        struct TestError: Error {}
        let task = AWSTask(result: nil).continueWith { _ in throw TestError() }
        #expect(task.isFaulted)
        #expect(try #require(task.error as Any as? NSError).domain == (TestError() as NSError).domain)
        let same = AWSTask(result: nil).continueWith { _ in throw Ending.error }
        #expect(try #require(same.error as Any as? NSError) === Ending.error)
        #expect(AWSTask(result: nil).continueWith { _ in throw CancellationError() }.isCancelled)
    }

    @Test(arguments: Ending.allCases)
    func `a returned task is followed, completed or pending`(end: Ending) throws {
        let pending = AWSTaskCompletionSource<NSString>()
        let late = AWSTask(result: nil).continueWith { _ in pending.task }
        let early = AWSTask(result: nil).continueWith { _ in end.task }
        #expect(ending(of: late) == "pending")
        end.complete(pending)
        for task in [early, late] {
            #expect(ending(of: task) == ending(of: end.task))
            #expect(task.result as? String == (end == .success ? "done" : nil))
            if end == .fault { #expect(try #require(task.error as Any as? NSError) === Ending.error) }
        }
    }

    @Test func `a task wrapped in optionals is followed`() {
        let task: AWSTask<NSString>?? = Ending.success.task
        #expect(AWSTask(result: nil).continueWith { _ in task as Any }.result as? String == "done")
    }

    @Test func `following goes one level deep`() {
        let inner = AWSTask<NSString>(result: "inner")
        let outer = AWSTask<AWSTask<NSString>>(result: inner)
        #expect(AWSTask(result: nil).continueWith { _ in outer }.result === inner)
    }

    @Test func `a block may use its task from other threads and add to it`() {
        let source = AWSTaskCompletionSource<NSString>()
        let notes = Notes()
        source.task.continueWith { task in
            DispatchQueue.global().sync {
                notes.add("read \(task.result ?? "")")
                task.continueWith { _ in
                    notes.add("added")
                    return nil
                }
            }
            return nil
        }
        source.set(result: "x")
        #expect(notes.all == ["read x", "added"])
    }
}
