import RecorderDelivery
import RecorderStore

extension OptionSpec {
    static let aggregate = OptionSpec(
        "aggregate",
        choice: "force",
        help:
            "send records with the same partition key, and those without one, to Kinesis in shared entries, which it counts as one "
            + "record each; only for consumers that read the format of the Kinesis Producer Library. Where a stream distributes "
            + "records by itself (AUTO), or it may not be asked for that, they are sent one by one; =force does not ask"
    )
    static let pack = OptionSpec(
        "pack",
        help: "send lines to Firehose in shared entries, each of which it bills in steps of 5 KB"
    )
    static let entrySize = OptionSpec(
        "entry-size",
        value: "SIZE",
        help: "the maximum size of a shared entry, 1K to 1M with --aggregate [50K], 1K to 1000K with --pack [5K]"
    )
    static let ordered = OptionSpec(
        "ordered",
        help: "send a record to Kinesis only after the older ones of its partition key were accepted or discarded"
    )
    static let entries = [aggregate, pack, entrySize, ordered]
}

extension Session {
    /// The maximum size of an entry that records for `service` share; nil if they share none. Throws for wrong options of a
    /// command that sends to `services`.
    func sharedEntryBytes(
        for service: StreamServiceDescription,
        of services: [StreamServiceDescription]
    ) throws(CommandFailure) -> Int? {
        try check(
            .aggregate,
            needsKeys: true,
            of: services,
            otherwise: "Firehose does not read aggregated records; --pack joins lines"
        )
        try check(.ordered, needsKeys: true, of: services, otherwise: "Firehose has no partition keys")
        try check(
            .pack,
            needsKeys: false,
            of: services,
            otherwise: "only lines for Firehose are joined; for Kinesis there is --aggregate"
        )
        if invocation.has(.aggregate), invocation.has(.omitKeys) {
            throw CommandFailure(
                .usage,
                message:
                    "--aggregate: without a partition key, any shard can get an entry, and consumers discard aggregated records that "
                    + "belong to another shard. Leave out this option or --omit-keys."
            )
        }
        let bytes = try entrySize()
        let option = service.sendsPartitionKey ? OptionSpec.aggregate : .pack
        return invocation.has(option) ? bytes ?? SharedEntryLimits.of(service).standard : nil
    }

    /// Throws for an option of which no store of the command makes use.
    private func check(
        _ option: OptionSpec,
        needsKeys: Bool,
        of services: [StreamServiceDescription],
        otherwise problem: String
    ) throws(CommandFailure) {
        guard invocation.has(option), !services.contains(where: { $0.sendsPartitionKey == needsKeys }) else { return }
        throw CommandFailure(.usage, message: "--\(option.name): \(problem). Leave out this option.")
    }

    private func entrySize() throws(CommandFailure) -> Int? {
        guard let bytes = try invocation.byteCount(.entrySize)?.bytes else { return nil }
        let typed = "--entry-size \(invocation.value(.entrySize) ?? "")"
        guard invocation.has(.aggregate) != invocation.has(.pack) else {
            let problem =
                invocation.has(.pack)
                ? "with both --aggregate and --pack, sizes are the default ones. Submit each store by a command of its own."
                : "no entries are shared. Add --aggregate for Kinesis or --pack for Firehose."
            throw CommandFailure(.usage, message: "\(typed): \(problem)")
        }
        let range = (invocation.has(.pack) ? SharedEntryLimits.packed : .aggregated).range
        guard range.contains(bytes) else {
            throw CommandFailure(
                .usage,
                message:
                    "\(typed): give a size from \(Formatting.count(range.lowerBound)) to "
                    + "\(Formatting.count(range.upperBound)) bytes."
            )
        }
        return bytes
    }
}
