internal import CRecorderZlib
import Glibc

/// The gzip format, https://www.rfc-editor.org/rfc/rfc1952, by zlib.
package enum Gzip {
    /// The bytes in gzip format, at zlib's default level; nil only if memory runs out.
    package static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        // 15 is the largest window, and adding 16 selects the gzip header: https://zlib.net/manual.html
        let windowBits: Int32 = 15 + 16
        let ready = deflateInit2_(
            &stream,
            Z_DEFAULT_COMPRESSION,
            Z_DEFLATED,
            windowBits,
            8,
            Z_DEFAULT_STRATEGY,
            zlibVersion(),
            Int32(MemoryLayout<z_stream>.size)
        )
        guard ready == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        var input = bytes
        let bound = Int(deflateBound(&stream, uLong(bytes.count)))
        var isComplete = false
        let output = [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
            input.withUnsafeMutableBufferPointer { input in
                stream.next_in = input.baseAddress
                stream.avail_in = uInt(input.count)
                stream.next_out = buffer.baseAddress
                stream.avail_out = uInt(buffer.count)
                // One call is enough, because the output has the capacity that `deflateBound` returned.
                isComplete = deflate(&stream, Z_FINISH) == Z_STREAM_END
            }
            count = isComplete ? Int(stream.total_out) : 0
        }
        return isComplete ? output : nil
    }
}

/// Reads a file in gzip format from one byte of its content to the next; going back begins at its start. Used by one thread.
package final class GzipFile {
    private let readFile: (_ offset: Int, _ count: Int) -> [UInt8]
    private var stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private var input: [UInt8] = []
    /// The bytes of the input that were decoded.
    private var used = 0
    private static let inputSize = 64 * 1_024
    private var fileOffset = 0
    /// Where in the content the next decoded byte is.
    private var offset = 0
    private var isAtEnd = false
    /// Memory may have run out.
    private let isReady: Bool

    /// Its input are the bytes of a file from an offset on, at most `count`; none at its end, or if it cannot be read.
    package init(_ readFile: @escaping (_ offset: Int, _ count: Int) -> [UInt8]) {
        self.readFile = readFile
        stream.initialize(to: z_stream())
        // 15 is the largest window, and adding 16 selects the gzip header: https://zlib.net/manual.html
        isReady = inflateInit2_(stream, 15 + 16, zlibVersion(), Int32(MemoryLayout<z_stream>.size)) == Z_OK
    }

    deinit {
        if isReady { inflateEnd(stream) }
        stream.deallocate()
    }

    /// The bytes from one of the content on, less at its end; nil if the file is damaged, ends early, or cannot be read.
    package func read(at start: Int, atMost count: Int) -> [UInt8]? {
        guard isReady else { return nil }
        if start < offset { begin() }
        while offset < start {
            guard let skipped = decode(min(start - offset, Self.inputSize)) else { return nil }
            if skipped.isEmpty { return [] }
        }
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard let more = decode(count - bytes.count) else { return nil }
            if more.isEmpty { break }
            bytes += more
        }
        return bytes
    }

    /// The length of the content; nil if the file is damaged, ends early, or cannot be read.
    package func length() -> Int? {
        guard isReady else { return nil }
        while let bytes = decode(Self.inputSize) {
            if bytes.isEmpty { return offset }
        }
        return nil
    }

    private func begin() {
        inflateReset(stream)
        (input, used, fileOffset, offset, isAtEnd) = ([], 0, 0, 0, false)
    }

    /// At most so many bytes; none at the end.
    private func decode(_ count: Int) -> [UInt8]? {
        while !isAtEnd {
            if used == input.count {
                fill()
                if input.isEmpty { return nil }
            }
            var status = Z_OK
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { output, decoded in
                input.withUnsafeMutableBufferPointer { input in
                    stream.pointee.next_in = input.baseAddress.map { $0 + used }
                    stream.pointee.avail_in = uInt(input.count - used)
                    stream.pointee.next_out = output.baseAddress
                    stream.pointee.avail_out = uInt(count)
                    status = inflate(stream, Z_NO_FLUSH)
                    used = input.count - Int(stream.pointee.avail_in)
                }
                decoded = count - Int(stream.pointee.avail_out)
            }
            offset += bytes.count
            if status == Z_STREAM_END {
                endMember()
            } else if status != Z_OK, status != Z_BUF_ERROR {
                return nil
            }
            if !bytes.isEmpty { return bytes }
        }
        return []
    }

    /// A file may be several compressed ones, one after the other.
    private func endMember() {
        if used == input.count { fill() }
        isAtEnd = input.isEmpty
        if !isAtEnd { inflateReset(stream) }
    }

    private func fill() {
        input = readFile(fileOffset, Self.inputSize)
        (used, fileOffset) = (0, fileOffset + input.count)
    }
}
