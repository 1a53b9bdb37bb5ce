import FileFollowing
import Glibc
import LineRecords
import RecorderAWS
import RecorderEngine
import RecorderStore

/// `follow STREAM PATH...`: each line of files that grow becomes a record, once.
struct FollowCommand: Command {
    private let session: Session
    private let settings: SaveSettings
    private let flow: FileFlow
    private let discards: DiscardLog
    private let pipeline: RecordPipeline
    private let metrics: MetricsFile?
    private let stop = StopSignal.shared

    init(session: Session) throws(CommandFailure) {
        self.session = session
        let settings = try SaveSettings(session)
        self.settings = settings
        var rules = settings.rules
        guard rules.delimiter != nil else {
            throw CommandFailure(
                .usage,
                message: "--delimiter none: a file that grows has no end. Give the byte that ends a record."
            )
        }
        rules.fields = try RecordFields(session.invocation)
        var flow = FileFlow(
            stream: settings.stream,
            partitionKey: settings.partitionKey,
            patterns: Array(session.invocation.arguments.dropFirst()),
            excluded: session.invocation.allValues(.exclude),
            ignoredAge: try session.invocation.duration(.ignoreOlder),
            firstSight: session.invocation.has(.fromEnd) ? .end : .start,
            rules: rules
        )
        flow.leaveOutOwnFiles(of: session)
        self.flow = flow
        let discards = DiscardLog(session.console)
        self.discards = discards
        let policy = settings.policy.waitingAtLimit
        metrics = try MetricsFile(session, sends: settings.submits)
        pipeline = try session.pipeline(for: session.service, policy: policy, metrics: metrics) { discards.handle($0) }
    }

    func run() async throws(CommandFailure) -> ExitStatus {
        let start = ContinuousClock.now
        try flow.check()
        if settings.submits { try session.access.check(session.service.service) }
        let console = session.console
        if session.invocation.has(.previewsFiles) {
            console.print(FlowPreview(flow, to: session.service).text)
            return .success
        }
        try metrics.checking(checkStore)
        let submitter =
            settings.submits ? BackgroundSubmitter(pipeline, console: console, stop: stop, metrics: metrics) : nil
        try metrics?.start()
        try submitter?.start()
        let target = FileFlowTarget(flow, in: pipeline) { submitter?.saved() }
        let manager = session.serviceManager
        stop.whenStopped { manager.stopping() }
        let follower = FileFollower(targets: [target], console: console, stop: stop, metrics: metrics?.run) {
            manager.ready("following files into \(StreamName(unchecked: flow.stream))")
        }
        let end = try await follower.run()
        _ = await submitter?.finish()
        await metrics?.finish()
        discards.finish()
        session.console.report(end.summary(of: flow.stream, elapsed: ContinuousClock.now - start))
        // A stop is how it ends; lines that are not stored yet are in their files.
        return .success
    }

    private func checkStore() throws(CommandFailure) { _ = try CommandFailure.wrapping(try pipeline.totals()) }
}

extension FileFlow {
    /// Leaves out what this process writes.
    mutating func leaveOutOwnFiles(of session: Session) {
        let system = LinuxFileSystem()
        let outputs = [STDOUT_FILENO, STDERR_FILENO].compactMap { system.facts(of: $0) }
        own.keys = Set(outputs.filter { $0.kind == .file }.map(\.key))
        guard let path = session.invocation.value(.metricsFile), let name = path.split(separator: "/").last else {
            return
        }
        let directory = path.dropLast(name.count)
        guard let resolved = system.resolved(directory.isEmpty ? "." : String(directory)) else { return }
        own.replaced = OwnFiles.Replaced(directory: resolved, name: String(name))
    }

    /// Throws if no path can be followed. A file that does not exist yet can; what is wrong with some of several paths is a warning
    /// while the others are followed.
    func check() throws(CommandFailure) {
        if Files.workingDirectory.isEmpty, let path = patterns.first(where: { !$0.hasPrefix("/") }) {
            let reason = "is relative to the working directory, which no longer exists. Give an absolute path."
            throw CommandFailure(.noInput, message: "\(path) \(reason)")
        }
        let problems = filePatterns(in: Files.workingDirectory).map(problem)
        guard problems.allSatisfy({ $0 != nil }), let first = problems.first, let first else { return }
        throw CommandFailure(.noInput, message: first)
    }

    private func problem(of pattern: FilePattern) -> String? {
        guard !pattern.hasWildcards else { return nil }
        if let problem = PatternScan(pattern, in: LinuxFileSystem()).problems[pattern.text] {
            return "\(pattern.text) cannot be followed: \(problem.text)."
        }
        guard unsafe access(pattern.text, R_OK) != 0, errno == EACCES else { return nil }
        return "\(pattern.text) cannot be read: \(String(errorNumber: EACCES))."
    }
}

extension RecorderPolicy {
    /// At the size limit of the store nothing more is read: the lines can wait in their files, and none has to be discarded.
    var waitingAtLimit: RecorderPolicy {
        var policy = self
        policy.limits.overflow = .refuses
        return policy
    }
}
