import Foundation
import LineRecords
import RecorderStore
import RecorderTestSupport
import Testing

@Suite struct RecordAssemblerTests {
    private func rules(limit: Int, keepsDelimiter: Bool = false) -> RecordRules {
        var rules = RecordRules()
        (rules.maximumRecordBytes, rules.keepsDelimiter) = (limit, keepsDelimiter)
        return rules
    }

    @Test func `the records are those between the delimiters, whatever the chunks of the input`() {
        var random = SeededRandom(1)
        for _ in 0..<300 {
            let input = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                [97, 98, 10].randomElement(using: &random) ?? 10 as UInt8
            }
            var whole = input.split(separator: 10, omittingEmptySubsequences: false).map { Data($0) }
            if whole.last?.isEmpty == true { whole.removeLast() }
            let wanted = whole.filter { $0.count <= 5 }
            var assembler = RecordAssembler(rules(limit: 5))
            var records: [Data] = []
            var rest = input[...]
            while !rest.isEmpty {
                let chunk = Array(rest.prefix(Int.random(in: 1...9, using: &random)))
                rest = rest.dropFirst(chunk.count)
                records += assembler.add(chunk).flatMap(\.records)
            }
            records += assembler.finish().flatMap(\.records)
            #expect(records == wanted)
            #expect(assembler.counts.refusedCount == whole.count - wanted.count)
            #expect(assembler.position.byte == input.count && assembler.position.records == whole.count)
        }
    }

    @Test func `a cut line keeps its beginning, whatever the chunks, and no position passes a record that follows`() {
        var random = SeededRandom(2)
        var rules = rules(limit: 5, keepsDelimiter: true)
        rules.longLine = .cut(ending: Array("~\n".utf8))
        for _ in 0..<300 {
            let input = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                [97, 98, 10].randomElement(using: &random) ?? 10 as UInt8
            }
            var whole = input.split(separator: 10, omittingEmptySubsequences: false).map { Data($0) }
            if whole.last?.isEmpty == true { whole.removeLast() }
            let wanted = whole.map { $0.count < 5 ? $0 + [10] : $0.prefix(3) + Data("~\n".utf8) }
            var assembler = RecordAssembler(rules)
            var records: [Data] = []
            var end = assembler.position
            func take(_ lines: AssembledRecords) {
                records += lines.records
                #expect(lines.start.byte == end.byte && lines.end.records == records.count)
                end = lines.end
            }
            var rest = input[...]
            while !rest.isEmpty {
                let chunk = Array(rest.prefix(Int.random(in: 1...40, using: &random)))
                rest = rest.dropFirst(chunk.count)
                assembler.add(chunk).forEach(take)
            }
            assembler.finish().forEach(take)
            #expect(records == wanted && end.byte == input.count)
            #expect(assembler.counts.cutCount == whole.count { $0.count > 4 } && assembler.counts.refusedCount == 0)
        }
    }

    @Test func `without a delimiter the whole input is one record`() {
        var rules = rules(limit: 100, keepsDelimiter: true)
        rules.delimiter = nil
        var assembler = RecordAssembler(rules)
        for part in ["a\nb", "\nc\n"] { #expect(assembler.add(Array(part.utf8)).isEmpty) }
        let records = assembler.finish().flatMap(\.records)
        #expect(records == [Data("a\nb\nc\n".utf8)])
    }

    @Test func `the position of the rest is after the last delimiter, refused records counted`() {
        var assembler = RecordAssembler(rules(limit: 3), start: 100)
        _ = assembler.add(Array("ab\ntoo lo".utf8))
        #expect(assembler.position.byte == 103 && assembler.position.records == 1)
        _ = assembler.add(Array("ng\nc".utf8))
        #expect(assembler.position.byte == 112 && assembler.position.records == 2)
        _ = assembler.finish()
        #expect(assembler.position.byte == 113 && assembler.position.records == 3)
    }
}

extension AssembledRecords {
    fileprivate var records: [Data] { payloads.ranges.map { Data(payloads.bytes[$0]) } }
}
