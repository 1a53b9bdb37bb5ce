import FoundationEssentials
import RecordFormats
import RecorderAWS
import RecorderStore

/// The records of one store that a stream lacks, by what explains it.
struct MissingRecords: Sendable {
    /// They are in the store.
    var held = OrdinalRanges()
    /// Neither in the stream nor in the store: the store discarded them, or they are lost.
    var gone = OrdinalRanges()
    /// May have arrived before the reading began, or while nothing was read, and have expired since.
    var earlier = OrdinalRanges()
    /// Saved after the status was taken, or sent while the stream was read.
    var newer = OrdinalRanges()

    /// - Parameters:
    ///   - source: whose records they are.
    ///   - records: what was read of them.
    ///   - status: what the store says; nil if none was given that knows this source.
    ///   - stored: what is in any store: a copy may hold what the store does not.
    ///   - reading: how far it goes back.
    init(
        of source: StreamAccount.Source,
        _ records: StreamAccount.Records,
        status: StatusReport?,
        stored: OrdinalRanges,
        in reading: AuditReport.Reading
    ) {
        let numbering = status?.numbering(of: source)
        let firstRead = records.ordinals.first ?? .max
        // Of a store that is not known, the records before those of --since cannot be known, and others begin at 0.
        let unknownFirst = reading.isComplete || reading.isLimited ? firstRead : 0
        let first = min(numbering?.ordinals.lowerBound ?? unknownFirst, firstRead)
        var judged = numbering?.ordinals.upperBound ?? (records.lastSettled + 1)
        // What arrived of an identity that had ended was saved before a backup took its count back, or by the original of a copy.
        if numbering?.isEarlier == true { judged = max(judged, records.lastSettled + 1) }
        let end = max(judged, (records.ordinals.last ?? -1) + 1)
        guard first < end else { return }
        var left = records.ordinals.gaps(in: first...(end - 1))
        func take(_ ranges: OrdinalRanges) -> OrdinalRanges {
            let taken = left.intersection(ranges)
            left = left.subtracting(taken)
            return taken
        }
        held = take(stored)
        if judged < end { newer = take(OrdinalRanges([judged...(end - 1)])) }
        // Before the first one that was read, and all if none was.
        let lastEarly = max(records.lastEarly, min(firstRead, end) - 1)
        if !reading.isComplete, lastEarly >= first { earlier = take(OrdinalRanges([first...lastEarly])) }
        gone = left
    }
}

extension StatusReport {
    /// Whether records with keys are in stores of this service: a recorder's or an Amplify client's.
    static func isKinesis(_ service: String) -> Bool { service == "kinesis" || service == "amplify-kinesis" }

    /// Whether the store's next record is of this source.
    func numbers(_ source: StreamAccount.Source) -> Bool { numbering(of: source)?.isEarlier == false }

    /// The ordinals that the store has given to a stream's records under its present identity or an earlier one.
    fileprivate func numbering(of source: StreamAccount.Source) -> (ordinals: Range<Int64>, isEarlier: Bool)? {
        guard storeID.flatMap({ RecordIdentity.store($0) }) == source.store else {
            return earlier(source).map { ($0.firstOrdinal..<$0.nextOrdinal, true) }
        }
        guard let stream = streams.first(where: { $0.number == source.stream }),
            let first = stream.firstOrdinal, let next = stream.nextOrdinal
        else { return nil }
        return (first..<next, false)
    }

    private func earlier(_ source: StreamAccount.Source) -> Earlier? {
        earlierIdentities?.last {
            $0.streamNumber == source.stream && RecordIdentity.store($0.storeID) == source.store
        }
    }

    /// How many records of a source's stream were delivered under keys that do not name them, with --random-keys or --omit-keys:
    /// they may have been numbered under any of its identities.
    func unnamed(of source: StreamAccount.Source) -> Int {
        guard numbering(of: source) != nil else { return 0 }
        let present = streams.first { $0.number == source.stream }?.deliveredUnnamed ?? 0
        let earlier = (earlierIdentities ?? []).filter { $0.streamNumber == source.stream }.map(\.deliveredUnnamed)
        return earlier.reduce(max(present, 0)) { Formatting.sum($0, max($1, 0)) }
    }

    /// How far it knows what a source's records are; -1 if it does not.
    func end(of source: StreamAccount.Source) -> Int64 {
        numbering(of: source)?.ordinals.upperBound ?? (held(of: source).isEmpty ? -1 : 0)
    }

    func held(of source: StreamAccount.Source) -> OrdinalRanges {
        let ranges = streams.filter { $0.number == source.stream }.flatMap { $0.held ?? [] }
            .filter { RecordIdentity.store($0.storeID) == source.store }
        return OrdinalRanges(ranges.map { $0.first...$0.last })
    }

    /// What it has saved to the stream: under its present identity, and under the earlier ones since the first of which a record
    /// arrived. Those before may have been sent elsewhere, to a stream of that name that was deleted since; and where not
    /// everything was read, all records of one may have expired long ago, audit after audit.
    func sources(of reading: AuditReport.Reading) -> [StreamAccount.Source] {
        let named = streams.filter { $0.belongs(to: reading.stream) }
        let present = named.filter { ($0.nextOrdinal ?? 0) > ($0.firstOrdinal ?? 0) }
            .compactMap { stream in Self.source(storeID, stream.number) }
        guard reading.isComplete else { return present }
        let earlier = (earlierIdentities ?? []).filter { $0.nextOrdinal > $0.firstOrdinal }
        return present
            + named.compactMap(\.number).flatMap { number in
                earlier.filter { $0.streamNumber == number }.compactMap { Self.source($0.storeID, number) }
                    .drop { reading.account.sources[$0] == nil }
            }
    }

    private static func source(_ storeID: String?, _ number: Int64?) -> StreamAccount.Source? {
        guard let number, let store = storeID.flatMap({ RecordIdentity.store($0) }) else { return nil }
        return StreamAccount.Source(store: store, stream: number)
    }

    /// All records that it discarded, of every stream, with and without a key. It does not know which they were.
    var discarded: Int {
        [evicted, expired, rejected, exhausted, cleared].reduce(0) { Formatting.sum($0, max($1, 0)) }
    }

    /// Why an audit cannot use it; nil if it can.
    var problem: String? {
        guard streams.allSatisfy({ $0.number != nil && $0.firstOrdinal != nil && $0.nextOrdinal != nil }) else {
            return "it was written by an older version. Upgrade the device and take it again"
        }
        let ordinals: Range<Int64> = 0..<(1 << 41)
        let areSound = streams.allSatisfy { stream in
            let (first, next) = (stream.firstOrdinal ?? 0, stream.nextOrdinal ?? 0)
            return ordinals.contains(first) && ordinals.contains(next) && first <= next
                && (stream.held ?? []).allSatisfy {
                    ordinals.contains($0.first) && ordinals.contains($0.last) && $0.first <= $0.last
                }
        }
        let areEarlierSound = (earlierIdentities ?? []).allSatisfy {
            ordinals.contains($0.firstOrdinal) && ordinals.contains($0.nextOrdinal) && $0.firstOrdinal <= $0.nextOrdinal
        }
        return areSound && areEarlierSound ? nil : "its ordinals are out of range"
    }
}

extension StatusReport.Stream {
    fileprivate func belongs(to stream: StreamName) -> Bool {
        let isOther = arn != nil && stream.arn != nil && arn != stream.arn?.text
        return name == stream.name && !isOther
    }
}
