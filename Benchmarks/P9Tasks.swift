import AWSCore
import Foundation

/// The time and memory per link of a chain of tasks, compared with the equivalents in Dispatch and Swift.
let p9Tasks = Benchmark(name: "P9", about: "AWSTask: a link, all of many, a pending continuation", needsQuiet: false) {
    effort in
    let count = effort.count(100_000)
    let memory = pendingBytes(count)
    let swiftTask = Meter.nanoseconds(per: count, rounds: effort.rounds) { chainOfSwiftTasks(count) }
    let notify = Meter.nanoseconds(per: count, rounds: effort.rounds) { chainOfGroups(count) }
    let baseline = "DispatchGroup.notify \(Int(notify)) ns, Task{} \(Int(swiftTask)) ns"

    func figure(_ name: String, atMost limit: Double, _ work: () -> Void) -> Figure {
        let ours = Meter.nanoseconds(per: count, rounds: effort.rounds, work)
        return Figure("P9 \(name)", ours / swiftTask, atMost: limit, "ours \(Int(ours)) ns, \(baseline)")
    }

    // 400 ns for a link and 500 ns for a task of many, where `Task {}` took 840 ns. As ratios, they hold on any machine.
    return [
        figure("link", atMost: 0.48) { pendingChains(count) },
        figure("completed link", atMost: 0.48) { completedChain(count) },
        figure("all of \(count)", atMost: 0.6) { allOf(count) },
        memory,
    ]
}

/// Attaches chains of a thousand links to pending tasks, then runs them.
private func pendingChains(_ count: Int) {
    for _ in 0..<(count / 1_000) {
        let source = AWSTaskCompletionSource<AnyObject>()
        var last = source.task
        for _ in 0..<1_000 {
            last = last.continueWith { _ in nil }
        }
        source.set(result: nil)
        precondition(last.isCompleted)
    }
}

/// Attaches each link to a completed task, so that it runs at once.
private func completedChain(_ count: Int) {
    var last = AWSTask<AnyObject>(result: nil)
    for _ in 0..<count {
        last = last.continueWith { _ in nil }
    }
    precondition(last.isCompleted)
}

/// Waits for many pending tasks, then completes each.
private func allOf(_ count: Int) {
    let sources = (0..<count).map { _ in AWSTaskCompletionSource<AnyObject>() }
    let all = AWSTask(forCompletionOfAllTasks: sources.map(\.task))
    for source in sources {
        source.set(result: nil)
    }
    precondition(all.isCompleted)
}

/// Keeps many continuations pending.
private func pendingBytes(_ count: Int) -> Figure {
    let source = AWSTaskCompletionSource<AnyObject>()
    let group = DispatchGroup()
    group.enter()
    let start = Meter.residentBytes()
    for _ in 0..<count { source.task.continueWith { _ in nil } }
    let middle = Meter.residentBytes()
    for _ in 0..<count { group.notify(queue: .global()) {} }
    let end = Meter.residentBytes()
    source.set(result: nil)
    group.leave()
    group.wait()
    let ours = (middle - start) / count
    let notify = (end - middle) / count
    return Figure(
        name: "P9 pending continuation",
        ratio: Double(ours) / Double(notify),
        target: "<=200 bytes",
        isMet: ours <= 200,
        behind: "ours \(ours) bytes, DispatchGroup.notify \(notify) bytes"
    )
}

/// One Swift task after another.
private func chainOfSwiftTasks(_ count: Int) {
    let done = DispatchSemaphore(value: 0)
    Task {
        for _ in 0..<count { await Task {}.value }
        done.signal()
    }
    done.wait()
}

/// One group's notification after another.
private func chainOfGroups(_ count: Int) {
    let queue = DispatchQueue(label: "baseline")
    let done = DispatchSemaphore(value: 0)
    var last = DispatchGroup()
    let first = last
    first.enter()
    for _ in 0..<count {
        let next = DispatchGroup()
        next.enter()
        last.notify(queue: queue) { next.leave() }
        last = next
    }
    last.notify(queue: queue) { done.signal() }
    first.leave()
    done.wait()
}
