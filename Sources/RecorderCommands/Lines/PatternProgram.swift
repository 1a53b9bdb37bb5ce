/// A pattern as instructions for `PatternMatcher`.
struct PatternProgram: Sendable {
    enum Instruction: Sendable {
        /// Consumes one character of the set with this index.
        case characters(Int)
        /// Continues at both, the first one preferred.
        case fork(Int, Int)
        case jump(Int)
        /// The first capture group begins or ends here.
        case groupStart, groupEnd
        case assertion(Assertion)
        case match
    }

    enum Assertion: Sendable, Equatable {
        case textStart, lineStart, textEnd, lineEnd, wordBoundary, noWordBoundary
    }

    private(set) var instructions: [Instruction] = []
    private(set) var sets: [PatternCharacters] = []
    /// By byte: whether a match can begin with it. nil if a match can be empty.
    private(set) var firstBytes: [Bool]?
    /// Whether a match can begin only at the start of the text.
    private(set) var isAnchored = false

    /// Whether the pattern has a capture group.
    var hasGroup: Bool { instructions.contains(where: \.isGroup) }

    /// A longer program would make each byte of the input expensive.
    static let mostInstructions = 4_000

    init(_ node: PatternNode) throws(PatternError) {
        try emit(node)
        instructions.append(.match)
        if case .assertion(.textStart)? = instructions.first(where: { !$0.isGroup }) { isAnchored = true }
        firstBytes = findFirstBytes()
    }

    // MARK: - compile

    private mutating func emit(_ node: PatternNode) throws(PatternError) {
        switch node {
        case .empty: break
        case .characters(let set): try append(.characters(index(of: set)))
        case .assertion(let assertion): try append(.assertion(assertion))
        case .sequence(let parts): for part in parts { try emit(part) }
        case .choice(let branches): try emitChoice(branches[...])
        case .group(let content, let isFirst):
            if isFirst { try append(.groupStart) }
            try emit(content)
            if isFirst { try append(.groupEnd) }
        case .repetition(let content, let minimum, let maximum, let isGreedy):
            for _ in 0..<minimum { try emit(content) }
            guard let maximum else { return try emitLoop(content, isGreedy: isGreedy) }
            try emitOptional(content, count: maximum - minimum, isGreedy: isGreedy)
        }
    }

    private mutating func append(_ instruction: Instruction) throws(PatternError) {
        guard instructions.count < Self.mostInstructions else {
            throw PatternError("it is too large. Use smaller numbers in {...}, or + and *.")
        }
        instructions.append(instruction)
    }

    private mutating func index(of set: PatternCharacters) -> Int {
        if let index = sets.firstIndex(of: set) { return index }
        sets.append(set)
        return sets.count - 1
    }

    private mutating func emitChoice(_ branches: ArraySlice<PatternNode>) throws(PatternError) {
        var jumps: [Int] = []
        for (index, branch) in branches.enumerated() {
            let fork = instructions.count
            let isLast = index == branches.count - 1
            if !isLast { try append(.fork(fork + 1, 0)) }
            try emit(branch)
            guard !isLast else { break }
            jumps.append(instructions.count)
            try append(.jump(0))
            instructions[fork] = .fork(fork + 1, instructions.count)
        }
        for jump in jumps { instructions[jump] = .jump(instructions.count) }
    }

    private mutating func emitLoop(_ content: PatternNode, isGreedy: Bool) throws(PatternError) {
        let fork = instructions.count
        try append(.fork(0, 0))
        try emit(content)
        try append(.jump(fork))
        instructions[fork] = Self.fork(fork + 1, orAfter: instructions.count, isGreedy: isGreedy)
    }

    /// `content` from 0 to `count` times.
    private mutating func emitOptional(_ content: PatternNode, count: Int, isGreedy: Bool) throws(PatternError) {
        var forks: [Int] = []
        for _ in 0..<count {
            forks.append(instructions.count)
            try append(.fork(0, 0))
            try emit(content)
        }
        for fork in forks {
            instructions[fork] = Self.fork(fork + 1, orAfter: instructions.count, isGreedy: isGreedy)
        }
    }

    private static func fork(_ inside: Int, orAfter after: Int, isGreedy: Bool) -> Instruction {
        isGreedy ? .fork(inside, after) : .fork(after, inside)
    }

    // MARK: - where a match can begin

    private func findFirstBytes() -> [Bool]? {
        var bytes = [Bool](repeating: false, count: 256)
        var seen = Set<Int>()
        var rest = [0]
        while let index = rest.popLast() {
            guard seen.insert(index).inserted else { continue }
            switch instructions[index] {
            case .match: return nil
            case .jump(let target): rest.append(target)
            case .fork(let first, let second): rest += [first, second]
            // As if the assertion held.
            case .groupStart, .groupEnd, .assertion: rest.append(index + 1)
            case .characters(let set):
                for byte in 0..<256 {
                    let isMember = byte < 128 ? sets[set].contains(UInt32(byte)) : sets[set].hasWideMembers
                    if isMember { bytes[byte] = true }
                }
            }
        }
        return bytes
    }
}

extension PatternProgram.Instruction {
    fileprivate var isGroup: Bool {
        switch self {
        case .groupStart, .groupEnd: true
        default: false
        }
    }
}
