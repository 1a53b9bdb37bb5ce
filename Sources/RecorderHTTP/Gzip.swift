internal import CRecorderZlib

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
