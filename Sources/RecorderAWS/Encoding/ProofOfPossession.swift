import CRecorderCrypto
import FoundationEssentials
import RecordFormats

/// Proves that a request comes from the holder of a private key (RFC 9449, DPoP), by a signature with ES256.
enum ProofOfPossession {
    /// The `DPoP` header of a POST to a URL; nil if the key is not one of the curve P-256 in PEM format.
    static func header(of keyInPEM: String, url: String, now: Date) -> String? {
        guard let object = OpenSSLObject(keyInPEM: Array(keyInPEM.utf8)), let key = object.key,
            let point = publicPoint(of: key)
        else { return nil }
        let (x, y) = (base64URL(point[..<32]), base64URL(point[32...]))
        let head = #"{"typ":"dpop+jwt","alg":"ES256","jwk":{"kty":"EC","x":"\#(x)","y":"\#(y)","crv":"P-256"}}"#
        let id = Digest.hex((0..<16).map { _ in UInt8.random(in: .min ... .max) })
        let time = Int(now.timeIntervalSince1970)
        let claims = #"{"htm":"POST","htu":\#(JSONText.quoted(url)),"iat":\#(time),"jti":"\#(id)"}"#
        let signed = "\(base64URL(head.utf8)).\(base64URL(claims.utf8))"
        guard let signature = signature(of: Array(signed.utf8), by: key) else { return nil }
        return "\(signed).\(base64URL(signature))"
    }

    private static func base64URL(_ bytes: some Sequence<UInt8>) -> String {
        String(Base64.text(Array(bytes)).compactMap { ["+": "-", "/": "_", "=": nil][$0] ?? $0 })
    }

    /// The 64 bytes of the key's public point.
    private static func publicPoint(of key: OpaquePointer) -> [UInt8]? {
        defer { ERR_clear_error() }
        var curve = [CChar](repeating: 0, count: 64)
        var point = [UInt8](repeating: 0, count: 65)
        var count = 0
        guard EVP_PKEY_get_group_name(key, &curve, curve.count, nil) == 1, strcmp(curve, "prime256v1") == 0,
            EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, &point, point.count, &count) == 1,
            count == point.count, point[0] == 4
        else { return nil }
        return Array(point.dropFirst())
    }

    /// The signature's two numbers, 32 bytes each.
    private static func signature(of bytes: [UInt8], by key: OpaquePointer) -> [UInt8]? {
        defer { ERR_clear_error() }
        guard let context = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(context) }
        var encoded = [UInt8](repeating: 0, count: 128)
        var count = encoded.count
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
            EVP_DigestSign(context, &encoded, &count, bytes, bytes.count) == 1
        else { return nil }
        return encoded.withUnsafeBufferPointer { encoded in
            var start = encoded.baseAddress
            guard let numbers = d2i_ECDSA_SIG(nil, &start, count) else { return nil }
            defer { ECDSA_SIG_free(numbers) }
            var pair = [UInt8](repeating: 0, count: 64)
            let isWhole = pair.withUnsafeMutableBufferPointer { pair in
                BN_bn2binpad(ECDSA_SIG_get0_r(numbers), pair.baseAddress, 32) == 32
                    && BN_bn2binpad(ECDSA_SIG_get0_s(numbers), pair.baseAddress.map { $0 + 32 }, 32) == 32
            }
            return isWhole ? pair : nil
        }
    }
}
