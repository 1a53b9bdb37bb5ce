/// Finds a pattern in bytes, in a time of at most the pattern's length times the text's, whatever the text.
///
/// It follows all ways to match at the same time, character by character (Thompson's construction with Pike's captures), instead
/// of trying one after the other. Of several matches it returns what Perl and Java would: the leftmost, by the pattern's order. It
/// differs only if something that is repeated can be empty.
package struct PatternMatcher {
    /// Where a match is, and its first capture group.
    package struct Match: Sendable {
        package fileprivate(set) var start: Int
        package fileprivate(set) var end = -1
        fileprivate var groupStart = -1
        fileprivate var groupEnd = -1

        /// nil if the pattern has no group, or if that took no part.
        package var group: Range<Int>? { groupEnd >= 0 ? groupStart..<groupEnd : nil }
    }

    private struct Thread {
        var instruction: Int
        var match: Match
    }

    /// Threads by priority, at most one for each instruction.
    private struct Threads {
        var list: [Thread] = []
        /// By instruction: the round in which it was added last.
        private var rounds: [Int]
        private var round = 0

        init(_ program: PatternProgram) {
            rounds = Array(repeating: 0, count: program.instructions.count)
        }

        mutating func clear() {
            list.removeAll(keepingCapacity: true)
            round += 1
        }

        /// Whether it is the first time in this round.
        mutating func enter(_ instruction: Int) -> Bool {
            guard rounds[instruction] != round else { return false }
            rounds[instruction] = round
            return true
        }
    }

    let program: PatternProgram
    private var current: Threads
    private var next: Threads
    private var stack: [Thread] = []

    package init(_ pattern: LinePattern) {
        program = pattern.program
        current = Threads(program)
        next = Threads(program)
    }

    /// Whether the pattern is found in the text.
    package mutating func isFound(in text: Span<UInt8>) -> Bool { run(text, isProbe: true) != nil }

    /// The first match.
    package mutating func firstMatch(in text: Span<UInt8>) -> Match? { run(text, isProbe: false) }

    private mutating func run(_ text: Span<UInt8>, isProbe: Bool) -> Match? {
        var found: Match?
        var index = 0
        current.clear()
        while true {
            if found == nil, index == 0 || !program.isAnchored {
                if current.list.isEmpty { index = nextCandidate(in: text, from: index) }
                Self.add(
                    Thread(instruction: 0, match: Match(start: index)),
                    to: &current,
                    at: index,
                    in: text,
                    of: program,
                    stack: &stack
                )
            }
            if current.list.isEmpty, found != nil || program.isAnchored { return found }
            let (character, length) = Self.character(in: text, at: index)
            next.clear()
            threads: for thread in current.list {
                switch program.instructions[thread.instruction] {
                case .characters(let set) where length > 0 && program.sets[set].contains(character):
                    let following = Thread(instruction: thread.instruction + 1, match: thread.match)
                    Self.add(following, to: &next, at: index + length, in: text, of: program, stack: &stack)
                case .match:
                    found = thread.match
                    found?.end = index
                    if isProbe { return found }
                    // Those that follow have a lower priority.
                    break threads
                default: break
                }
            }
            guard length > 0 else { return found }
            index += length
            swap(&current, &next)
        }
    }

    /// The next index at which a match can begin; the text's end if there is none.
    private func nextCandidate(in text: Span<UInt8>, from start: Int) -> Int {
        guard let firstBytes = program.firstBytes, !program.isAnchored else { return start }
        var index = start
        while index < text.count, !firstBytes[Int(text[index])] { index += 1 }
        return index
    }

    /// Adds a thread, or those that it becomes without consuming a character.
    private static func add(
        _ thread: Thread,
        to threads: inout Threads,
        at index: Int,
        in text: Span<UInt8>,
        of program: PatternProgram,
        stack: inout [Thread]
    ) {
        stack.append(thread)
        while var thread = stack.popLast() {
            guard threads.enter(thread.instruction) else { continue }
            switch program.instructions[thread.instruction] {
            case .characters, .match:
                threads.list.append(thread)
                continue
            case .jump(let target): thread.instruction = target
            case .fork(let first, let second):
                stack.append(Thread(instruction: second, match: thread.match))
                thread.instruction = first
            case .assertion(let assertion):
                guard holds(assertion, at: index, in: text) else { continue }
                thread.instruction += 1
            case .groupStart:
                thread.match.groupStart = index
                thread.instruction += 1
            case .groupEnd:
                thread.match.groupEnd = index
                thread.instruction += 1
            }
            stack.append(thread)
        }
    }

    private static func holds(_ assertion: PatternProgram.Assertion, at index: Int, in text: Span<UInt8>) -> Bool {
        let newline = UInt8(ascii: "\n")
        switch assertion {
        case .textStart: return index == 0
        case .lineStart: return index == 0 || text[index - 1] == newline
        case .textEnd: return isEnd(index, of: text)
        case .lineEnd: return isEnd(index, of: text) || text[index] == newline
        case .wordBoundary: return isBoundary(index, in: text)
        case .noWordBoundary: return !isBoundary(index, in: text)
        }
    }

    /// A carriage return at the end belongs to the end of the line.
    private static func isEnd(_ index: Int, of text: Span<UInt8>) -> Bool {
        index == text.count || index == text.count - 1 && text[index] == UInt8(ascii: "\r")
    }

    private static func isBoundary(_ index: Int, in text: Span<UInt8>) -> Bool {
        let before = index > 0 && PatternCharacters.word.contains(UInt32(text[index - 1]))
        let after = index < text.count && PatternCharacters.word.contains(UInt32(text[index]))
        return before != after
    }

    /// The character at an index and its length in bytes; 0 at the end.
    private static func character(in text: Span<UInt8>, at index: Int) -> (UInt32, Int) {
        guard index < text.count else { return (0, 0) }
        let byte = text[index]
        guard byte >= 0x80 else { return (UInt32(byte), 1) }
        return wideCharacter(in: text, at: index) ?? (PatternCharacters.firstInvalidByte + UInt32(byte), 1)
    }

    /// A code point of two to four bytes; nil where they are not UTF-8.
    private static func wideCharacter(in text: Span<UInt8>, at index: Int) -> (UInt32, Int)? {
        let byte = text[index]
        let (length, least): (Int, UInt32) =
            switch byte {
            case 0xC2...0xDF: (2, 0x80)
            case 0xE0...0xEF: (3, 0x800)
            case 0xF0...0xF4: (4, 0x1_0000)
            default: (0, 0)
            }
        guard length > 0, index + length <= text.count else { return nil }
        var character = UInt32(byte) & (0x7F >> UInt32(length))
        for offset in 1..<length {
            let part = text[index + offset]
            guard part & 0xC0 == 0x80 else { return nil }
            character = character << 6 | UInt32(part & 0x3F)
        }
        let isValid =
            character >= least && character <= PatternCharacters.lastCodePoint
            && !(0xD800...0xDFFF).contains(character)
        return isValid ? (character, length) : nil
    }
}
