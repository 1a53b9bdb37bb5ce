/// One call's wait for a flush, by which it can be given up.
package final class FlushTicket: Sendable {
    let completion: RecordPipeline.FlushCompletion

    init(_ completion: @escaping RecordPipeline.FlushCompletion) {
        self.completion = completion
    }
}
