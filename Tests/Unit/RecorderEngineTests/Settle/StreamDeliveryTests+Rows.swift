import RecorderStore

@testable import RecorderDelivery

/// The table of `StreamDelivery`, row by row.
extension StreamDeliveryTests {
    private typealias Setup = DeliveryModel.Setup
    private static let counting = Setup(rule: CountsAttempts())
    private static let ordered = Setup(keepsOrder: true)

    static let rows = answered + unanswered + refused + settled

    private static let answered = [
        Row(
            name: "all accepted",
            answer: { _, _ in .outcomes(all) },
            actions: ["settle 0 1 2 delivered", "refund", "next", "end: delivered"],
            isReported: false
        ),
        Row(
            name: "one throttled, once",
            answer: { records, request in .outcomes(records.map { request == 0 && $0 == 1 ? throttled : .delivered }) },
            actions: [
                "settle 0 delivered, 2 delivered, 1 kept", "refund", "restart", "wait: throttled", "next", "send 1",
                "settle 1 delivered", "refund", "next", "end: delivered",
            ],
            isReported: false
        ),
        Row(
            name: "one throttled, and an order: what the stream is short of is little",
            setup: ordered,
            answer: { records, request in .outcomes(records.map { request == 0 && $0 == 1 ? throttled : .delivered }) },
            actions: [
                "settle 0 delivered, 2 delivered, 1 kept", "refund", "restart", "wait: failed", "next", "send 1",
                "settle 1 delivered", "refund", "next", "end: delivered",
            ],
            isReported: false
        ),
        Row(
            name: "one throttled, no retry is left",
            setup: Setup(retries: 0),
            answer: but(1, throttled),
            actions: [
                "settle 0 delivered, 2 delivered, 1 kept", "refund", "restart", "wait: throttled", "next",
                "end: delivered",
            ]
        ),
        Row(
            name: "one throttled, no retry is left, and an order",
            setup: Setup(keepsOrder: true, retries: 0),
            answer: but(1, throttled),
            actions: ["settle 0 delivered, 2 delivered, 1 kept", "refund", "restart", "wait: failed", "end: left"]
        ),
        Row(
            name: "all throttled, no retry is left",
            setup: Setup(retries: 0),
            answer: { _, _ in .outcomes([throttled, throttled, throttled]) },
            actions: ["settle 0 1 2 kept", "wait: throttled", "end: left"]
        ),
        Row(
            name: "all throttled, attempts are counted",
            setup: counting,
            answer: { _, _ in .outcomes([throttled, throttled, throttled]) },
            actions: ["settle 0 1 2 failed", "end: left"]
        ),
        Row(
            name: "one failed as often as it may",
            setup: Setup(discardsAfterFailures: 1),
            answer: but(1, throttled),
            actions: ["settle 0 delivered, 1 exhausted, 2 delivered", "refund", "next", "end: delivered"],
            isReported: false
        ),
        Row(
            name: "one invalid",
            answer: but(0, rejected),
            actions: ["settle 0 rejected, 1 2 delivered", "refund", "next", "end: delivered"],
            isReported: false
        ),
        Row(
            name: "one invalid, attempts are counted",
            setup: counting,
            answer: but(0, rejected),
            actions: ["settle 1 2 delivered, 0 failed", "refund", "next", "end: delivered"]
        ),
        Row(
            name: "one without a proof",
            answer: but(2, .unproven),
            actions: ["settle 0 1 delivered, 2 kept", "refund", "next", "end: delivered"]
        ),
        Row(
            name: "one without a proof, and an order",
            setup: ordered,
            answer: but(2, .unproven),
            actions: ["settle 0 1 delivered, 2 kept", "end: left"]
        ),
        Row(
            name: "a shared entry called invalid",
            setup: Setup(sharing: 3),
            answer: { _, _ in .outcomes([rejected, rejected, rejected]) },
            actions: ["log", "end: mustBeSeparated"],
            isReported: false
        ),
        Row(
            name: "a shared entry in another shard",
            setup: Setup(sharing: 3),
            answer: { _, _ in .outcomes([.misplaced, .misplaced, .misplaced]) },
            actions: ["settle 0 1 2 kept", "end: mustBeSeparated"],
            isReported: false
        ),
        Row(
            name: "the rest removed meanwhile",
            setup: Setup(removed: 2),
            answer: but(1, throttled),
            actions: [
                "settle 0 delivered, 2 delivered, 1 kept", "refund", "restart", "wait: throttled", "next", "next",
                "end: delivered",
            ],
            isReported: false
        ),
    ]

    private static let unanswered = [
        Row(
            name: "unreadable, then accepted",
            answer: { _, request in request == 0 ? .unreadable("no JSON") : .outcomes(all) },
            actions: [
                "wait: unreadable", "next", "send 0 1 2", "settle 0 1 2 delivered", "refund", "next", "end: delivered",
            ],
            isReported: false
        ),
        Row(
            name: "unreadable, no retry is left",
            setup: Setup(retries: 0),
            answer: { _, _ in .unreadable("no JSON") },
            actions: ["wait: unreadable", "end: left"]
        ),
        Row(
            name: "unreadable, cancelled",
            setup: Setup(isCancelled: true),
            answer: { _, _ in .unreadable("no JSON") },
            actions: ["wait: unreadable", "end: left"]
        ),
        Row(
            name: "unreadable, attempts are counted",
            setup: counting,
            answer: { _, _ in .unreadable("no JSON") },
            actions: ["settle 0 1 2 kept", "end: left"]
        ),
        Row(name: "failed", answer: { _, _ in .failed(denied) }, actions: ["end: left"]),
        Row(
            name: "failed, attempts are counted",
            setup: counting,
            answer: { _, _ in .failed(denied) },
            actions: ["settle 0 1 2 failed", "end: left"]
        ),
        Row(name: "not sent", setup: counting, answer: { _, _ in .notSent(.cancelled) }, actions: ["end: left"]),
        Row(
            name: "no longer to be shared",
            setup: Setup(sharing: 3),
            answer: { _, _ in .mustBeSeparated },
            actions: ["end: mustBeSeparated"],
            isReported: false
        ),
    ]

    private static let refused = [
        Row(
            name: "refused, and an entry is shared",
            setup: Setup(sharing: 3),
            answer: { _, _ in .refused(invalid) },
            actions: ["log", "end: mustBeSeparated"],
            isReported: false
        ),
        Row(
            name: "refused because of one record",
            answer: refusing([0]),
            actions: [
                "next", "send 0", "next", "send 1 2", "settle 1 2 delivered", "refund", "next", "send 0", "log",
                "settle 0 rejected", "next", "end: delivered",
            ],
            isReported: false
        ),
        Row(
            name: "refused because of one record, whose other half was accepted before",
            answer: refusing([2]),
            actions: [
                "next", "send 0", "settle 0 delivered", "refund", "next", "send 1 2", "next", "send 1",
                "settle 1 delivered", "refund", "next", "send 2", "log", "settle 2 rejected", "next", "end: delivered",
            ],
            isReported: false
        ),
        Row(
            name: "refused because of one record, attempts are counted",
            setup: counting,
            answer: refusing([0]),
            actions: [
                "next", "send 0", "settle 0 failed", "next", "send 1 2", "settle 1 2 delivered", "refund", "next",
                "end: delivered",
            ],
            isReported: false
        ),
        Row(
            name: "refused because of two records: another one is a probe",
            setup: Setup(sizes: [100, 100, 100, 100]),
            answer: refusing([0, 1]),
            actions: [
                "next", "send 0 1", "next", "send 0", "next", "send 1", "next", "send 3",
                "settle 3 delivered", "refund", "next", "send 0", "log", "settle 0 rejected", "next", "send 1", "log",
                "settle 1 rejected", "next", "send 2", "settle 2 delivered", "refund", "next", "end: delivered",
            ],
            isReported: false
        ),
        Row(
            name: "refused because of the stream",
            answer: refusing([0, 1, 2]),
            actions: ["next", "send 0", "next", "send 1 2", "next", "send 1", "next", "send 2", "end: left"]
        ),
        Row(
            name: "refused because keys are missing",
            setup: Setup(keyless: .withoutKeys),
            answer: { _, _ in .refused(invalid) },
            actions: ["end: left"]
        ),
        Row(
            name: "refused, and larger than the stream accepts",
            setup: Setup(sizes: [2_000_000], maximum: 1_048_576),
            answer: { _, _ in .refused(invalid) },
            actions: ["look up", "log", "settle 0 rejected", "next", "end: delivered"],
            isReported: false
        ),
        Row(
            name: "refused, and larger than the stream accepts, attempts are counted",
            setup: Setup(rule: CountsAttempts(), sizes: [2_000_000], maximum: 1_048_576),
            answer: { _, _ in .refused(invalid) },
            actions: ["look up", "log", "settle 0 failed", "next", "end: delivered"],
            isReported: false
        ),
        Row(
            name: "refused, and larger than the stream accepts, attempts are counted, and an order",
            setup: Setup(rule: CountsAttempts(), keepsOrder: true, sizes: [2_000_000], maximum: 1_048_576),
            answer: { _, _ in .refused(invalid) },
            actions: ["look up", "log", "settle 0 failed", "next", "end: left"]
        ),
        Row(
            name: "too large for a proxy, and so are others",
            setup: Setup(sizes: [900, 100, 900, 900]),
            answer: refusing([0, 2, 3], page),
            actions: [
                "next", "send 0 1", "next", "send 0", "settle 0 kept", "next", "send 1", "settle 1 delivered", "refund",
                "next", "send 2 3", "settle 2 3 kept", "next", "end: delivered",
            ]
        ),
        Row(
            name: "too large for a proxy, attempts are counted",
            setup: Setup(rule: CountsAttempts(), sizes: [900, 100]),
            answer: refusing([0], page),
            actions: [
                "next", "send 0", "settle 0 kept", "next", "send 1", "settle 1 delivered", "refund", "next",
                "end: delivered",
            ]
        ),
        Row(
            name: "too large for a proxy, and an order: the rest of the batch is sent before",
            setup: Setup(keepsOrder: true, sizes: [900, 100]),
            answer: refusing([0], page),
            actions: [
                "next", "send 0", "settle 0 kept", "next", "send 1", "settle 1 delivered", "refund", "next",
                "end: left",
            ]
        ),
    ]

    private static let settled = [
        Row(
            name: "not settled",
            setup: Setup(rule: CountsAttempts(), settlements: 0),
            answer: { _, _ in .outcomes(all) },
            actions: ["settle 0 1 2 delivered", "end: left"]
        ),
        Row(
            name: "settled in part",
            setup: Setup(settlements: 0, settlesRest: true),
            answer: { _, _ in .outcomes(all) },
            actions: ["settle 0 1 2 delivered", "end: left"]
        ),
    ]
}
