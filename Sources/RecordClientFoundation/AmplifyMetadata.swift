/// The library's name and version in requests.
public enum AmplifyMetadata {
    /// The version of Amplify for Swift whose interface and behaviour these modules match. Not the version of this package.
    public static let version: String = "2.60.1"

    /// The library's name in `User-Agent` headers.
    public static let platformName: String = "amplify-swift"
}
