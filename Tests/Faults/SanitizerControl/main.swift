import Foundation
import RecorderConcurrency

// SanitizerControl race|locked|use-after-free
//
// Does one thing that a sanitizer must report, or must not. If it reports nothing here, a clean test run proves
// nothing.

/// A number that two threads increment; Swift's own checks are disabled for it.
private final class Counter: @unchecked Sendable {
    private let guarded = Locked(0)
    nonisolated(unsafe) private var bare = 0

    func addBare() { bare += 1 }
    func addGuarded() { guarded.withLock { $0 += 1 } }
    var sum: Int { bare + guarded.withLock { $0 } }
}

private func inTwoThreads(_ work: @escaping @Sendable () -> Void) {
    let done = DispatchGroup()
    for _ in 0..<2 {
        done.enter()
        Thread {
            for _ in 0..<1_000 { work() }
            done.leave()
        }.start()
    }
    done.wait()
}

private let counter = Counter()
switch CommandLine.arguments.dropFirst().first {
case "race": inTwoThreads { counter.addBare() }
case "locked": inTwoThreads { counter.addGuarded() }
case "use-after-free":
    let freed = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    freed.initialize(to: 1)
    freed.deallocate()
    print(freed.pointee)
default: fatalError("usage: SanitizerControl race|locked|use-after-free")
}
print(counter.sum)
