import RecorderAWS
import RecorderStore

/// What is said of records that are not stored as they were read.
extension RecordCounts {
    /// Says of the first record without a field why it has none; nil if there is none.
    package var noteWithoutFields: String? {
        firstWithoutFields.map { record in
            let reason =
                switch record.fault {
                case .noObject: "is no JSON object; with --message-field it becomes one"
                case .hasMember(let name): "has a member \"\(name.sanitized(limit: 64))\" of its own"
                case .tooLong: "would be too long with its fields"
                }
            return
                "record \(Formatting.count(record.number)) \(reason). It is stored without the field, as are others like it; they are "
                + "counted."
        }
    }

    /// Says of a record that a search in it was given up; nil if there is none.
    package var noteGivenUp: String? {
        firstGivenUp.map {
            "record \(Formatting.count($0.number)): the search for \($0.pattern) took too long, and was given up. The record counts as "
                + "not matching, as do others like it; they are counted."
        }
    }

    /// As in `; 2 searches given up`; empty if there are none.
    package static func summary(ofGivenUp count: Int) -> String {
        count == 0 ? "" : "; \(Formatting.counted(count, "search", plural: "searches")) given up"
    }
}

extension RecordRules {
    /// Says of a record that its partition key was not found, and what it is saved with instead; nil without such a rule.
    package func noteWithoutKey(_ number: Int) -> String? {
        let reason: String
        switch key {
        case .field(let name): reason = "has no member \"\(name)\" that is a string or a number and can be a key"
        case .pattern(let pattern): reason = "has no text for \(pattern.source) that can be a key"
        case .digest: reason = "cannot have its MD5 as its key: this machine's OpenSSL has no MD5, as in FIPS mode"
        case nil: return nil
        }
        return "record \(Formatting.count(number)) \(reason). It gets a key of its own, as do others like it; "
            + "they are counted."
    }
}
