import CRecorderPCRE2
import Glibc

/// A search took too many steps, too much memory or too much time.
struct PatternLimit: Error {}

/// A compiled pattern and what a search with it needs, of one thread at a time.
final class PatternSearch {
    private let code: OpaquePointer
    private let context: OpaquePointer
    private let stack: OpaquePointer?
    /// Where a match and its first group were found.
    private let found: OpaquePointer
    private let hasGroup: Bool
    /// Whether a match can begin only at the start of a text.
    private let isAnchored: Bool

    private static let mostSteps: UInt32 = 100_000
    private static let mostKibibytes = 4_096
    /// The limit of steps is for matches that begin at one character. Between so many of them, the time is looked at.
    private static let charactersBetweenLooks = 256
    private static let longestTime = Duration.milliseconds(100)

    init(_ source: String, isAnchored: Bool, isInterpreted: Bool) throws(PatternError) {
        code = try Self.compile(
            source,
            PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_USE_OFFSET_LIMIT | (isAnchored ? PCRE2_ANCHORED : 0)
        )
        guard let context = pcre2_match_context_create_8(nil), let found = pcre2_match_data_create_8(2, nil) else {
            fatalError("no memory for a pattern")
        }
        (self.context, self.found) = (context, found)
        pcre2_set_match_limit_8(context, Self.mostSteps)
        pcre2_set_heap_limit_8(context, UInt32(Self.mostKibibytes))
        // It fails where the process must not make machine code, as with systemd's MemoryDenyWriteExecute; then the pattern is
        // interpreted.
        if !isInterpreted, pcre2_jit_compile_8(code, PCRE2_JIT_COMPLETE) == 0 {
            stack = pcre2_jit_stack_create_8(32 * 1_024, Self.mostKibibytes * 1_024, nil)
            pcre2_jit_stack_assign_8(context, nil, stack.map(UnsafeMutableRawPointer.init))
        } else {
            stack = nil
        }
        hasGroup = Self.information(PCRE2_INFO_CAPTURECOUNT, of: code) > 0
        self.isAnchored = Self.information(PCRE2_INFO_ALLOPTIONS, of: code) & PCRE2_ANCHORED != 0
    }

    deinit {
        pcre2_match_data_free_8(found)
        pcre2_match_context_free_8(context)
        if let stack { pcre2_jit_stack_free_8(stack) }
        pcre2_code_free_8(code)
    }

    private static func compile(_ source: String, _ options: UInt32) throws(PatternError) -> OpaquePointer {
        let context = pcre2_compile_context_create_8(nil)
        defer { pcre2_compile_context_free_8(context) }
        // A carriage return at the end belongs to the end of the line.
        pcre2_set_newline_8(context, UInt32(PCRE2_NEWLINE_ANYCRLF))
        let text = Array(source.utf8)
        var (number, offset) = (Int32(0), 0)
        if let code = pcre2_compile_8(text, text.count, options, &number, &offset, context) { return code }
        var message = [UInt8](repeating: 0, count: 256)
        let length = max(0, pcre2_get_error_message_8(number, &message, message.count))
        let place = String(decoding: text.prefix(offset), as: UTF8.self).unicodeScalars.count
        throw PatternError("\(String(decoding: message.prefix(Int(length)), as: UTF8.self)) (at offset \(place)).")
    }

    private static func information(_ what: Int32, of code: OpaquePointer) -> UInt32 {
        var value: UInt32 = 0
        let status = pcre2_pattern_info_8(code, UInt32(what), &value)
        precondition(status == 0, "PCRE2 knows its pattern")
        return value
    }

    /// Whether the pattern is found in a text, which is UTF-8.
    func isFound(in text: UnsafeRawBufferPointer) throws(PatternLimit) -> Bool {
        var start = 0
        let deadline =
            isAnchored || text.count <= Self.charactersBetweenLooks ? nil : Self.processorTime + Self.longestTime
        while let deadline {
            var next = start + Self.charactersBetweenLooks
            // Not within a character.
            while next < text.count, text[next] & 0xC0 == 0x80 { next += 1 }
            guard next < text.count else { break }
            if try isFound(in: text, from: start, to: next - 1) { return true }
            guard Self.processorTime < deadline else { throw PatternLimit() }
            start = next
        }
        return try isFound(in: text, from: start, to: nil)
    }

    /// The first group of what was found last, or all of it if the pattern has no group; nil if the group took no part.
    var group: Range<Int>? {
        guard let bounds = pcre2_get_ovector_pointer_8(found) else { return nil }
        let (start, end) = hasGroup ? (bounds[2], bounds[3]) : (bounds[0], bounds[1])
        // What took no part has the largest number, which is negative here.
        return start >= 0 && start <= end ? start..<end : nil
    }

    /// Whether a match begins at one of these bytes.
    private func isFound(in text: UnsafeRawBufferPointer, from start: Int, to last: Int?) throws(PatternLimit) -> Bool {
        pcre2_set_offset_limit_8(context, last ?? -1)
        // No byte is read of an empty text.
        let bytes = text.assumingMemoryBound(to: UInt8.self).baseAddress ?? UnsafePointer(code)
        let status = pcre2_match_8(code, bytes, text.count, start, PCRE2_NO_UTF_CHECK, found, context)
        guard status < 0 else { return true }
        // The limits have several numbers.
        guard status == PCRE2_ERROR_NOMATCH else { throw PatternLimit() }
        return false
    }

    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

/// The version of PCRE2 that this process has loaded.
package var pcre2LibraryVersion: String {
    var text = [UInt8](repeating: 0, count: 64)
    pcre2_config_8(UInt32(PCRE2_CONFIG_VERSION), &text)
    // "10.42 2022-12-11" and a zero.
    return String(decoding: text.prefix { $0 > 0x20 }, as: UTF8.self)
}
