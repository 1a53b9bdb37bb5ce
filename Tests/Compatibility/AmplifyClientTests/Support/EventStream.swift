import AmplifyRecordCache

extension AsyncStream<RecordEvent> {
    /// The next events for which `isWanted` is true.
    func collect(_ count: Int, _ isWanted: (RecordEvent) -> Bool) async -> [RecordEvent] {
        var found: [RecordEvent] = []
        for await event in self where isWanted(event) {
            found.append(event)
            if found.count == count { break }
        }
        return found
    }
}
