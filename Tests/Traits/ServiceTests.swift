#if ServiceLifecycle
    import KinesisRecorders
    import Logging
    import RecorderTestSupport
    import ServiceLifecycle
    import Testing

    /// What the trait ServiceLifecycle adds.
    @Suite(.timeLimit(.minutes(5))) struct ServiceTests {
        @Test func `a service submits what is saved, and sends the rest at a graceful shutdown`() async throws {
            let server = try acceptingServer()
            let recorder = try Recorders.kinesis(url: server.url)
            try await Recorders.save(3, to: recorder)
            // Only the first submit and the last one happen.
            let service = RecorderService(recorder, interval: .seconds(3_600))
            let group = ServiceGroup(services: [service], logger: Logger(label: "test"))
            async let running: Void = group.run()
            await server.received(1)
            try await Recorders.save(2, to: recorder)
            await group.triggerGracefulShutdown()
            try await running
            #expect(recorder.statistics?.stored == 0)
            #expect(recorder.statistics?.delivered == 5)
        }

        @Test func `a service that does not answer holds a shutdown up for the deadline at most`() async throws {
            let server = try LocalServer { _, _ in .stall }
            let recorder = try Recorders.kinesis(url: server.url)
            try await Recorders.save(2, to: recorder)
            let service = RecorderService(recorder, interval: .seconds(3_600), drainDeadline: .milliseconds(100))
            let group = ServiceGroup(services: [service], logger: Logger(label: "test"))
            async let running: Void = group.run()
            await server.received(1)
            await group.triggerGracefulShutdown()
            try await running
            #expect(recorder.statistics?.stored == 2)
        }

        @Test func `a failed submit does not end the service`() async throws {
            let server = try LocalServer { _, _ in .error(500, "InternalFailure") }
            let recorder = try Recorders.kinesis(url: server.url)
            try await Recorders.save(1, to: recorder)
            let service = RecorderService(recorder, interval: .milliseconds(1), drainDeadline: .zero)
            let group = ServiceGroup(services: [service], logger: Logger(label: "test"))
            async let running: Void = group.run()
            await server.received(3)
            await group.triggerGracefulShutdown()
            try await running
            #expect(recorder.statistics?.stored == 1)
        }

        @Test func `a cancelled service ends at once, and sends nothing more`() async throws {
            let server = try LocalServer { _, _ in .stall }
            let recorder = try Recorders.kinesis(url: server.url)
            try await Recorders.save(1, to: recorder)
            let running = Task { try await RecorderService(recorder, interval: .seconds(3_600)).run() }
            await server.received(1)
            running.cancel()
            try? await running.value
            #expect(server.requests.count == 1)
            #expect(recorder.statistics?.stored == 1)
        }
    }
#endif
