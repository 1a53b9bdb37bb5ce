package import Foundation
package import RecorderAWS

/// An enumeration of the AWS SDK: a number in Swift, a string in JSON. 0 means none.
package protocol WireCode: RawRepresentable where RawValue == Int {
    /// The strings of the numbers from 1 on.
    static var words: [String] { get }
}

extension WireFields {
    /// Reads or writes an enumeration. 0 is not written; an unknown string is read as 0.
    package func callAsFunction<Code: WireCode>(_ code: inout Code, as name: String) {
        switch self {
        case .writing(let writer):
            guard Code.words.indices.contains(code.rawValue - 1) else { return }
            writer.key(name)
            Code.words[code.rawValue - 1].write(to: writer)
        case .reading(let reader):
            guard let word = reader.value(name, read: String.read) else { return }
            let known = Code.words.firstIndex { $0.caseInsensitiveCompare(word) == .orderedSame }
            if let value = Code(rawValue: known.map { $0 + 1 } ?? 0) { code = value }
        }
    }

    /// Reads or writes a number.
    package func callAsFunction(_ number: inout NSNumber?, as name: String) {
        transfer(&number, as: name) { $0.stringValue }
    }

    /// Reads or writes a Boolean.
    package func flag(_ flag: inout NSNumber?, as name: String) {
        transfer(&flag, as: name) { $0.boolValue ? "true" : "false" }
    }

    private func transfer(_ number: inout NSNumber?, as name: String, literal: (NSNumber) -> String) {
        switch self {
        case .writing(let writer):
            guard let number else { return }
            writer.key(name)
            writer.append(literal: literal(number))
        case .reading(let reader):
            let found = reader.value(name) { json throws(WireMismatch) in
                switch json {
                case .integer(let number): return NSNumber(value: number)
                case .double(let number): return NSNumber(value: number)
                case .bool(let flag): return NSNumber(value: flag)
                case .null, .string, .list, .object: throw WireMismatch(expected: "a number")
                }
            }
            if let found { number = found }
        }
    }
}
