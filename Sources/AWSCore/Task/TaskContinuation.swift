/// One thing to do when a task settles. Subclasses say what.
///
/// A continuation is run once, or freed with its task if that never settles.
class TaskContinuation: @unchecked Sendable {
    // Safe because a continuation belongs to one thread at a time: to the one that makes it, then to its task, which
    // takes and gives it atomically, then to the one that runs it.

    /// Where the continuation asks to be run.
    final let place: ExecutionPlace

    /// Those that stand behind this one in its task's line.
    final var next = ContinuationLine()

    /// The task that this continuation completes, or helps to complete.
    final var child: AWSAnyTask?

    init(place: ExecutionPlace, child: AWSAnyTask?) {
        self.place = place
        self.child = child
    }

    /// True where the continuation only wakes a waiting thread, which comes before anybody's block.
    var wakesThread: Bool { false }

    /// Does the work, given the settled task, and returns what became ready through it.
    func run(after task: AWSAnyTask) -> ReadyContinuations? {
        fatalError("a continuation must say what it does")
    }
}
