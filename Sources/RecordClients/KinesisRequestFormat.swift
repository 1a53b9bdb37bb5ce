/// How a client encodes its requests.
public enum KinesisRequestFormat: Sendable {
    /// `application/x-amz-json-1.1`, the default.
    case json
    /// `application/x-amz-cbor-1.1`, a binary format: records are sent as they are instead of as base64 text, a quarter fewer
    /// bytes to sign, encrypt and send.
    ///
    /// If the endpoint does not understand it, its records are sent in JSON at once, as are all later requests of this process
    /// to it, and a warning is logged. The AWS SDK for Java sends the same format to Kinesis. Here it was run against two local
    /// services, moto and MiniStack, which decode it with Python's cbor2, and never against AWS so far.
    case cbor
}
