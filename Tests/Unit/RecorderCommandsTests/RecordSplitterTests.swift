import Foundation
import RecorderCommands
import RecorderTestSupport
import Testing

@Suite struct RecordSplitterTests {
    @Test func `however the input is cut into chunks, the records are those between the delimiters`() {
        var random = SeededRandom(1)
        for _ in 0..<300 {
            let input = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                [97, 98, 10].randomElement(using: &random) ?? 10 as UInt8
            }
            var whole = input.split(separator: 10, omittingEmptySubsequences: false).map { Data($0) }
            if whole.last?.isEmpty == true { whole.removeLast() }
            let wanted = whole.filter { $0.count <= 5 }
            var splitter = RecordSplitter(delimiter: 10, keepsDelimiter: false, maximumBytes: 5)
            var records: [Data] = []
            var rest = input[...]
            while !rest.isEmpty {
                let chunk = Array(rest.prefix(Int.random(in: 1...9, using: &random)))
                rest = rest.dropFirst(chunk.count)
                splitter.take(chunk) { records.append($0.data) }
            }
            splitter.finish { records.append($0.data) }
            #expect(records == wanted)
            #expect(splitter.refusedCount == whole.count - wanted.count)
            #expect(splitter.place.byte == input.count && splitter.place.records == whole.count)
        }
    }

    @Test func `without a delimiter the whole input is one record`() {
        var splitter = RecordSplitter(delimiter: nil, keepsDelimiter: true, maximumBytes: 100)
        var records: [Data] = []
        for part in ["a\nb", "\nc\n"] { splitter.take(Array(part.utf8)) { records.append($0.data) } }
        splitter.finish { records.append($0.data) }
        #expect(records == [Data("a\nb\nc\n".utf8)])
    }

    @Test func `the place of the rest is behind the last delimiter, refused records counted`() {
        var splitter = RecordSplitter(delimiter: 10, keepsDelimiter: false, maximumBytes: 3, start: 100)
        splitter.take(Array("ab\ntoo lo".utf8)) { _ in }
        #expect(splitter.place.byte == 103 && splitter.place.records == 1)
        splitter.take(Array("ng\nc".utf8)) { _ in }
        #expect(splitter.place.byte == 112 && splitter.place.records == 2)
        splitter.finish { _ in }
        #expect(splitter.place.byte == 113 && splitter.place.records == 3)
    }
}
