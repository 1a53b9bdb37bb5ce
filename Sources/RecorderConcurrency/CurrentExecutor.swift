extension Task where Success == Never, Failure == Never {
    /// The executor that the calling task prefers, for a task that is to run there as well; nil if it has none.
    package static var currentExecutor: (any TaskExecutor)? {
        unsafe withUnsafeCurrentTask { unsafe $0?.unownedTaskExecutor?.asTaskExecutor() }
    }
}
