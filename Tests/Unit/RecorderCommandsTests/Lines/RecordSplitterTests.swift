import Foundation
import RecorderCommands
import RecorderEngine
import RecorderTestSupport
import Testing

@Suite struct RecordSplitterTests {
    @Test func `the records are those between the delimiters, whatever the chunks of the input`() {
        var random = SeededRandom(1)
        for _ in 0..<300 {
            let input = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                [97, 98, 10].randomElement(using: &random) ?? 10 as UInt8
            }
            var whole = input.split(separator: 10, omittingEmptySubsequences: false).map { Data($0) }
            if whole.last?.isEmpty == true { whole.removeLast() }
            let wanted = whole.filter { $0.count <= 5 }
            var splitter = RecordSplitter(delimiter: 10, keepsDelimiter: false, limit: ByteCount(5))
            var records: [Data] = []
            var rest = input[...]
            while !rest.isEmpty {
                let chunk = Array(rest.prefix(Int.random(in: 1...9, using: &random)))
                rest = rest.dropFirst(chunk.count)
                splitter.split(chunk) { records += $0.records }
            }
            splitter.finish { records += $0.records }
            #expect(records == wanted)
            #expect(splitter.counts.refusedCount == whole.count - wanted.count)
            #expect(splitter.position.byte == input.count && splitter.position.records == whole.count)
        }
    }

    @Test func `a cut line keeps its beginning, whatever the chunks, and no position passes a record that follows`() {
        var random = SeededRandom(2)
        var rules = RecordRules()
        rules.longLine = .cut(ending: Array("~\n".utf8))
        for _ in 0..<300 {
            let input = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                [97, 98, 10].randomElement(using: &random) ?? 10 as UInt8
            }
            var whole = input.split(separator: 10, omittingEmptySubsequences: false).map { Data($0) }
            if whole.last?.isEmpty == true { whole.removeLast() }
            let wanted = whole.map { $0.count < 5 ? $0 + [10] : $0.prefix(3) + Data("~\n".utf8) }
            var splitter = RecordSplitter(delimiter: 10, keepsDelimiter: true, limit: ByteCount(5), rules: rules)
            var records: [Data] = []
            var end = splitter.position
            func take(_ lines: RecordSplitter.Lines) {
                records += lines.records
                #expect(lines.position.byte == end.byte && lines.end.records == records.count)
                end = lines.end
            }
            var rest = input[...]
            while !rest.isEmpty {
                let chunk = Array(rest.prefix(Int.random(in: 1...40, using: &random)))
                rest = rest.dropFirst(chunk.count)
                splitter.split(chunk, body: take)
            }
            splitter.finish(body: take)
            #expect(records == wanted && end.byte == input.count)
            #expect(splitter.counts.cutCount == whole.count { $0.count > 4 } && splitter.counts.refusedCount == 0)
        }
    }

    @Test func `without a delimiter the whole input is one record`() {
        var splitter = RecordSplitter(delimiter: nil, keepsDelimiter: true, limit: ByteCount(100))
        var records: [Data] = []
        for part in ["a\nb", "\nc\n"] { splitter.split(Array(part.utf8)) { records += $0.records } }
        splitter.finish { records += $0.records }
        #expect(records == [Data("a\nb\nc\n".utf8)])
    }

    @Test func `the position of the rest is after the last delimiter, refused records counted`() {
        var splitter = RecordSplitter(delimiter: 10, keepsDelimiter: false, limit: ByteCount(3), start: 100)
        splitter.split(Array("ab\ntoo lo".utf8)) { _ in }
        #expect(splitter.position.byte == 103 && splitter.position.records == 1)
        splitter.split(Array("ng\nc".utf8)) { _ in }
        #expect(splitter.position.byte == 112 && splitter.position.records == 2)
        splitter.finish { _ in }
        #expect(splitter.position.byte == 113 && splitter.position.records == 3)
    }
}

extension RecordSplitter.Lines {
    fileprivate var records: [Data] { payloads.ranges.map { Data(payloads.bytes[$0]) } }
}
