import RecorderDelivery
import Testing

/// The table of `RecordDistribution`, walked: every state, every event.
@Suite struct RecordDistributionTests {
    private typealias State = RecordDistribution.State
    private static let now = ContinuousClock.now
    private static let held = now + RecordDistribution.validity
    private static let (past, future) = (now - .seconds(1), now + .seconds(1))

    private enum Event: Hashable {
        case begin
        case answered(RecordDistribution.Answer)
        case doubt(RecordDistribution.Doubt)

        static let all: [Event] =
            [.begin] + RecordDistribution.Answer.allCases.map(Event.answered) + [.doubt(.changed), .doubt(.misplaced)]
    }

    /// What changes a state; every other event leaves it as it is.
    private static let changes: [(from: State, event: Event, to: State)] = {
        let (unknown, misplaced) = (State.unknown(isMisplaced: false), State.unknown(isMisplaced: true))
        let automatic = State.automatic(until: held)
        let (soon, later) = (now + RecordDistribution.pauses.unreachable, now + RecordDistribution.pauses.refused)
        var changes: [(State, Event, State)] = [
            (unknown, .begin, .asked(before: .nothing)),
            (unknown, .doubt(.misplaced), misplaced),
            (misplaced, .begin, .asked(before: .misplaced)),
            (.asked(before: .nothing), .answered(.byKey), .byKey(until: held)),
            (.asked(before: .nothing), .answered(.refused), .unanswered(until: later)),
            (.asked(before: .nothing), .answered(.unreachable), .unanswered(until: soon)),
            (.asked(before: .nothing), .doubt(.changed), unknown),
            (.asked(before: .byKey), .answered(.byKey), .byKey(until: held)),
            (.asked(before: .byKey), .answered(.refused), .byKey(until: later)),
            (.asked(before: .byKey), .answered(.unreachable), .byKey(until: soon)),
            (.asked(before: .byKey), .doubt(.changed), unknown),
            (.asked(before: .misplaced), .answered(.byKey), .contradicted(until: held)),
            (.asked(before: .misplaced), .answered(.refused), .unanswered(until: later)),
            (.asked(before: .misplaced), .answered(.unreachable), .unanswered(until: soon)),
            (.asked(before: .misplaced), .doubt(.changed), misplaced),
            (.byKey(until: past), .begin, .asked(before: .byKey)),
            (.assumed, .begin, .asked(before: .nothing)),
        ]
        for evidence in [RecordDistribution.Evidence.nothing, .byKey, .misplaced] {
            changes.append((.asked(before: evidence), .answered(.notPermitted), .notPermitted(until: held)))
            changes.append((.asked(before: evidence), .doubt(.misplaced), misplaced))
        }
        for end in [past, future] {
            changes.append((.byKey(until: end), .answered(.byKey), .byKey(until: held)))
            changes.append((.byKey(until: end), .doubt(.changed), unknown))
            changes.append((.byKey(until: end), .doubt(.misplaced), misplaced))
            changes.append((.automatic(until: end), .doubt(.changed), unknown))
        }
        for state in [
            State.automatic(until: past), .contradicted(until: past), .notPermitted(until: past),
            .unanswered(until: past),
        ] {
            changes.append((state, .begin, .asked(before: .nothing)))
        }
        // Whatever was known, the service says so now.
        for state in states where state != .assumed { changes.append((state, .answered(.automatic), automatic)) }
        return changes
    }()

    private static let states: [State] =
        [.unknown(isMisplaced: false), .unknown(isMisplaced: true), .assumed]
        + [RecordDistribution.Evidence.nothing, .byKey, .misplaced].map { .asked(before: $0) }
        + [past, future].flatMap { end in
            [
                State.byKey(until: end), .automatic(until: end), .contradicted(until: end), .notPermitted(until: end),
                .unanswered(until: end),
            ]
        }

    @Test func `every event in every state leads where the table says, and asks where the state says so`() {
        for state in Self.states {
            for event in Event.all {
                var value = RecordDistribution(state)
                switch event {
                case .begin:
                    let step = value.begin(isAssumed: false, at: Self.now)
                    #expect((step == .ask) == (value.state != state), "\(state)")
                    if step == .share { #expect(value.mayShare, "\(state)") }
                case .answered(let answer): _ = value.answered(answer, at: Self.now)
                case .doubt(let doubt): value.doubt(doubt)
                }
                let expected = Self.changes.first { $0.from == state && $0.event == event }?.to ?? state
                #expect(value.state == expected, "\(state), \(event)")
            }
        }
        #expect(Self.changes.allSatisfy { Self.states.contains($0.from) })
    }

    @Test func `records share entries only where they are known or said to be placed by key`() {
        for state in Self.states {
            let shares: Bool =
                switch state {
                case .byKey, .assumed, .asked(before: .byKey): true
                default: false
                }
            #expect(RecordDistribution(state).mayShare == shares, "\(state)")
            var forced = RecordDistribution(state)
            #expect(forced.begin(isAssumed: true, at: Self.now) == .share && forced.mayShare)
        }
    }

    @Test func `a notice is given once, and again after another answer`() {
        var value = RecordDistribution()
        func ask(_ answer: RecordDistribution.Answer, after seconds: Int) -> RecordDistribution.Notice? {
            let time = Self.now + .seconds(seconds)
            #expect(value.begin(isAssumed: false, at: time) == .ask)
            return value.answered(answer, at: time)
        }
        #expect(ask(.automatic, after: 0) == .automatic)
        #expect(ask(.automatic, after: 600) == nil)
        #expect(ask(.unreachable, after: 1_200) == nil)
        #expect(ask(.automatic, after: 1_205) == nil)
        #expect(ask(.byKey, after: 1_805) == nil)
        #expect(ask(.notPermitted, after: 2_405) == .notPermitted)
        #expect(ask(.notPermitted, after: 3_005) == nil)
        #expect(ask(.automatic, after: 3_605) == .automatic)
    }
}
