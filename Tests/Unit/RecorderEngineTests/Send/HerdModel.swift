import RecorderDelivery
import RecorderStore
import RecorderTestSupport

/// Devices that drain their backlogs into one stream, in virtual time: the limiter, the batches and the retries of a flush
/// against emulated shards.
struct HerdModel {
    struct Setup {
        var devices = 1
        var shards = 1
        /// Entries of each device.
        var backlog = 60_000
        /// Bytes of an entry with its key.
        var entryBytes = 200
        /// Entries of a full request.
        var batch = 500
        var latency = 0.02
        var seed: UInt64 = 1
        /// The share of entries that the stream throttles at random, whatever its rate.
        var throttledShare = 0.0
        /// Replaces pacing and retries: what was throttled is sent again after this many seconds.
        var fixedDelay: Double?
    }

    struct Result {
        var sent = 0
        var taken = 0
        var sentBySecond: [Int] = []
        var takenBySecond: [Int] = []
        /// When each device was done, in seconds, in this order.
        var done: [Double] = []

        var sentOverTaken: Double { Double(sent) / Double(taken) }
        var slowestOverMedian: Double { (done.last ?? 0) / done[done.count / 2] }

        /// Entries accepted per second, from a second until a quarter of the devices were done.
        func rate(from second: Int) -> Double { Self.mean(takenBySecond[second..<end(after: second)]) }

        /// Entries sent over entries accepted in that time.
        func sentOverTaken(from second: Int) -> Double {
            let end = end(after: second)
            return Self.mean(sentBySecond[second..<end]) / Self.mean(takenBySecond[second..<end])
        }

        private func end(after second: Int) -> Int { max(second + 1, Int(done[done.count / 4])) }

        private static func mean(_ counts: ArraySlice<Int>) -> Double {
            Double(counts.reduce(0, +)) / Double(counts.count)
        }
    }

    private struct Device {
        var limiter = StreamRateLimiter()
        /// Entries that were not read yet, that are left of the batch, and that are in the next request.
        var backlog: Int
        var unsent = 0
        /// Whether they were throttled before.
        var isRetry = false
        var inRequest = 0
        var retries = 0
    }

    private let setup: Setup
    private let start = ContinuousClock.now
    private var stream: ShardedStream
    private var random: SeededRandom
    private var devices: [Device]
    private var requests = RequestQueue()
    private var result = Result()

    static func run(_ setup: Setup) -> Result {
        var model = HerdModel(setup)
        return model.run()
    }

    private init(_ setup: Setup) {
        self.setup = setup
        stream = ShardedStream(shards: setup.shards)
        random = SeededRandom(setup.seed)
        devices = Array(repeating: Device(backlog: setup.backlog), count: setup.devices)
    }

    private mutating func run() -> Result {
        for device in devices.indices { send(device, at: setup.devices == 1 ? 0 : chance()) }
        while let (time, device) = requests.next() {
            let accepted = put(devices[device].inRequest, at: time)
            answer(device, accepted: accepted, at: time + setup.latency / 2)
        }
        return result
    }

    private mutating func put(_ entries: Int, at time: Double) -> Int {
        let count = (0..<entries).count { _ in setup.throttledShare == 0 || chance() >= setup.throttledShare }
        let offered = (0..<count).map { _ in
            (shard: Int(truncatingIfNeeded: random.next() % UInt64(setup.shards)), bytes: setup.entryBytes)
        }
        let accepted = stream.put(offered, at: instant(time)).count { $0 != nil }
        let second = Int(time)
        while result.takenBySecond.count <= second {
            result.takenBySecond.append(0)
            result.sentBySecond.append(0)
        }
        result.takenBySecond[second] += accepted
        result.sentBySecond[second] += entries
        result.taken += accepted
        result.sent += entries
        return accepted
    }

    private mutating func answer(_ device: Int, accepted: Int, at time: Double) {
        let throttled = devices[device].inRequest - accepted
        devices[device].unsent -= accepted
        devices[device].limiter.answered(
            accepted: load(accepted),
            throttled: load(throttled),
            isRetry: devices[device].isRetry,
            at: instant(time)
        )
        if throttled > 0 { devices[device].isRetry = true }
        var delay = 0.0
        if throttled > 0 {
            if accepted > 0 || devices[device].retries == 3 { devices[device].retries = 0 }
            delay = setup.fixedDelay ?? chance() * Double(1 << devices[device].retries)
            devices[device].retries += 1
        }
        send(device, at: time, after: delay)
    }

    private mutating func send(_ device: Int, at time: Double, after delay: Double = 0) {
        if devices[device].unsent == 0 {
            devices[device].unsent = min(setup.batch, devices[device].backlog)
            devices[device].backlog -= devices[device].unsent
            devices[device].retries = 0
            devices[device].isRetry = false
        }
        guard devices[device].unsent > 0 else { return result.done.append(time) }
        var entries = devices[device].unsent
        var wait = delay
        if setup.fixedDelay == nil {
            let now = instant(time)
            if let most = devices[device].limiter.largestRequest(at: now) {
                entries = max(min(entries, most.entries, most.bytes / setup.entryBytes), 1)
            }
            let random = chance()
            let paced = devices[device].limiter.delay(before: load(entries), at: now, random: random)
            wait = max(wait, paced / .seconds(1))
        }
        devices[device].inRequest = entries
        requests.add(device, at: time + wait + setup.latency / 2)
    }

    private func load(_ entries: Int) -> StreamLoad {
        StreamLoad(entries: entries, bytes: entries * setup.entryBytes)
    }

    private func instant(_ time: Double) -> ContinuousClock.Instant { start + .seconds(time) }

    private mutating func chance() -> Double { Double.random(in: 0..<1, using: &random) }
}

/// Requests under way, the earliest first: a binary heap.
private struct RequestQueue {
    private var heap: [(time: Double, device: Int)] = []

    mutating func add(_ device: Int, at time: Double) {
        heap.append((time, device))
        var child = heap.count - 1
        while child > 0, heap[child].time < heap[(child - 1) / 2].time {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func next() -> (time: Double, device: Int)? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        guard !heap.isEmpty else { return first }
        heap[0] = last
        var parent = 0
        while let child = [2 * parent + 1, 2 * parent + 2].filter({ $0 < heap.count })
            .min(by: { heap[$0].time < heap[$1].time }), heap[child].time < heap[parent].time
        {
            heap.swapAt(child, parent)
            parent = child
        }
        return first
    }
}
