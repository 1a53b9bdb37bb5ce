import RecorderEngine
import RecorderStore

extension Session {
    /// A pipeline of which everything is counted in the metrics file, if there is one.
    func pipeline(
        for service: StreamServiceDescription,
        policy: RecorderPolicy,
        metrics: MetricsFile?,
        access: ServiceAccess? = nil,
        onEvent: @escaping @Sendable (RecorderEvent) -> Void
    ) throws(CommandFailure) -> RecordPipeline {
        let run = metrics?.run
        let pipeline = try pipeline(
            for: service,
            policy: policy,
            access: access,
            onEvent: { event in
                onEvent(event)
                run?.handle(event, of: service.name)
            },
            onAnswer: { run?.countRequest(to: service.name, failure: $0) }
        )
        metrics?.add(pipeline, at: try location(of: service))
        return pipeline
    }
}
