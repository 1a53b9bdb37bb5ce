/// What requests say about the library that sent them.
public enum AmplifyMetadata {
    /// The version of Amplify for Swift whose interface and behaviour these modules have. Not this package's own version.
    public static let version: String = "2.60.1"

    /// The library's name in `User-Agent` headers.
    public static let platformName: String = "amplify-swift"
}
