import RecordFormats

extension String {
    /// The text as a value in a query or a URL-encoded form: all but letters, digits and `-._~` percent-encoded.
    var formEscaped: String {
        utf8.map { byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                scalar.isASCII && scalar.properties.isAlphabetic || "0123456789-._~".unicodeScalars.contains(scalar)
            return isPlain ? String(Character(scalar)) : "%" + Digest.hex([byte]).uppercased()
        }.joined()
    }
}
