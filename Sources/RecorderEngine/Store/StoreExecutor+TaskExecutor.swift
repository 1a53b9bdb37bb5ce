/// The tasks of a flush run in a lane of their own, so that they can do what belongs to another lane on the spot: to wake a
/// thread for it, and to be woken by that, would cost as much as to sign a request.
extension StoreExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        run(.flush) { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
