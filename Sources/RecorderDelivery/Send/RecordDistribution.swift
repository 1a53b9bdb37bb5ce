/// Whether records may share the entries of a stream: whether the stream places entries by their partition keys, as far as is
/// known. A value; `StreamLookups` asks the service.
///
/// A stream whose distribution strategy is `AUTO`
/// [places entries by itself](https://docs.aws.amazon.com/streams/latest/dev/service-managed-pk-kpl-aggregation.html), and
/// consumers built on the KCL drop aggregated records that are not where their key belongs. A *doubt* is a sign that what is
/// known may have changed: an entry in another shard than its key's (`.misplaced`), a shard that is new, or a request that was
/// called invalid (`.changed`).
///
/// | state | `begin` | by key | automatic | not permitted | no answer | doubt |
/// |---|---|---|---|---|---|---|
/// | unknown | ask | unknown | automatic | unknown | unknown | unknown |
/// | asked, before: nothing | alone | by key | automatic | not permitted | unanswered | unknown |
/// | asked, before: by key | share | by key | automatic | not permitted | by key, soon asked again | unknown |
/// | asked, before: misplaced | alone | contradicted | automatic | not permitted | unanswered | unknown, misplaced |
/// | by key | share, ask when over | by key | automatic | by key | by key | unknown |
/// | automatic, contradicted, not permitted, unanswered | alone, ask when over | no change | automatic | no change | no change | automatic: unknown if changed |
/// | assumed | share | no change | no change | no change | no change | no change |
///
/// A doubt while the service is asked makes the answer stale: if it says that records are placed by key, it may be older.
package struct RecordDistribution: Sendable, Hashable {
    package typealias Instant = ContinuousClock.Instant

    /// What was known when the service was asked.
    package enum Evidence: Sendable, Hashable {
        case nothing, byKey, misplaced
    }

    package enum State: Sendable, Hashable {
        case unknown(isMisplaced: Bool)
        case asked(before: Evidence)
        case byKey(until: Instant)
        case automatic(until: Instant)
        /// The service says that records are placed by key, but an entry was not.
        case contradicted(until: Instant)
        case notPermitted(until: Instant)
        case unanswered(until: Instant)
        /// The user says that records are placed by key.
        case assumed
    }

    /// What to do about the next batch.
    package enum Step: Sendable, Hashable {
        case share, sendAlone, ask
    }

    package enum Answer: Sendable, Hashable, CaseIterable {
        case byKey, automatic, notPermitted
        /// The service answered otherwise, or not at all.
        case refused, unreachable
    }

    package enum Doubt: Sendable, Hashable {
        case changed, misplaced
    }

    /// What the user is told, once until it changes.
    package enum Notice: Sendable, Hashable {
        case automatic, contradicted, notPermitted
    }

    package private(set) var state: State
    private var said: Notice?

    package init(_ state: State = .unknown(isMisplaced: false)) {
        self.state = state
    }

    /// How long an answer holds.
    package static let validity = Duration.seconds(600)
    /// When the service is asked again that answered otherwise, or not at all.
    package static let pauses: (refused: Duration, unreachable: Duration) = (.seconds(60), .seconds(5))

    /// Whether a request with shared entries may be sent that was made from what was known before.
    package var mayShare: Bool {
        switch state {
        case .byKey, .assumed, .asked(before: .byKey): true
        default: false
        }
    }

    /// The next batch is about to be read. After `.ask`, `answered` must follow.
    package mutating func begin(isAssumed: Bool, at now: Instant) -> Step {
        guard !isAssumed else {
            state = .assumed
            return .share
        }
        switch state {
        case .asked(let evidence): return evidence == .byKey ? .share : .sendAlone
        case .byKey(let end) where now < end: return .share
        case .automatic(let end) where now < end, .contradicted(let end) where now < end,
            .notPermitted(let end) where now < end, .unanswered(let end) where now < end:
            return .sendAlone
        case .byKey: state = .asked(before: .byKey)
        case .unknown(let isMisplaced): state = .asked(before: isMisplaced ? .misplaced : .nothing)
        case .automatic, .contradicted, .notPermitted, .unanswered, .assumed: state = .asked(before: .nothing)
        }
        return .ask
    }

    /// The service was asked. Returns what the user must be told.
    package mutating func answered(_ answer: Answer, at now: Instant) -> Notice? {
        let end = now + Self.validity
        switch (answer, state) {
        case (_, .assumed): break
        case (.automatic, _): state = .automatic(until: end)
        case (.byKey, .asked(before: .misplaced)): state = .contradicted(until: end)
        case (.byKey, .asked), (.byKey, .byKey): state = .byKey(until: end)
        case (.notPermitted, .asked): state = .notPermitted(until: end)
        case (.refused, .asked(let evidence)): state = Self.unanswered(evidence, until: now + Self.pauses.refused)
        case (.unreachable, .asked(let evidence)):
            state = Self.unanswered(evidence, until: now + Self.pauses.unreachable)
        default: break
        }
        return notice()
    }

    private static func unanswered(_ evidence: Evidence, until end: Instant) -> State {
        evidence == .byKey ? .byKey(until: end) : .unanswered(until: end)
    }

    private mutating func notice() -> Notice? {
        let notice: Notice?
        switch state {
        case .automatic: notice = .automatic
        case .contradicted: notice = .contradicted
        case .notPermitted: notice = .notPermitted
        case .byKey: notice = nil
        // Nothing new.
        case .unknown, .asked, .unanswered, .assumed: return nil
        }
        defer { said = notice }
        return notice == said ? nil : notice
    }

    /// There is a sign that what is known may have changed.
    package mutating func doubt(_ doubt: Doubt) {
        switch (doubt, state) {
        case (_, .unknown(let isMisplaced)): state = .unknown(isMisplaced: isMisplaced || doubt == .misplaced)
        case (_, .asked(let evidence)): state = .unknown(isMisplaced: evidence == .misplaced || doubt == .misplaced)
        case (_, .byKey): state = .unknown(isMisplaced: doubt == .misplaced)
        case (.changed, .automatic): state = .unknown(isMisplaced: false)
        // An answer to a request that was sent before; or asking again would not help.
        case (.misplaced, .automatic), (_, .contradicted), (_, .notPermitted), (_, .unanswered), (_, .assumed): break
        }
        assert(!mayShare || state == .assumed)
    }
}
