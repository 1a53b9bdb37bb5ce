/// Where a block is to run.
enum ExecutionPlace {
    case whileStackLasts
    case immediate
    case mainThread
    case custom(CustomPlace)

    /// True where this place is the calling thread, with room on its stack.
    var isHere: Bool {
        switch self {
        case .immediate: true
        case .whileStackLasts: !StackSpace.isShort
        case .mainThread: MainThread.isCurrent && !StackSpace.isShort
        case .custom: false
        }
    }
}

/// A place that somebody else keeps: a queue, or a user's block.
final class CustomPlace {
    let submit: (@escaping () -> Void) -> Void

    init(submit: @escaping (@escaping () -> Void) -> Void) {
        self.submit = submit
    }
}
