// swift-tools-version: 6.2
import PackageDescription

/// One small program; `language` is that of the code it shows.
func example(_ name: String, _ products: String..., language: SwiftLanguageMode = .v5) -> Target {
    .executableTarget(
        name: name,
        dependencies: products.map { .product(name: $0, package: "swift-aws-recorder") },
        swiftSettings: [.swiftLanguageMode(language)]
    )
}

/// Programs as users write them: a package of its own, so they reach what is public and nothing else.
let package = Package(
    name: "Examples",
    dependencies: [
        .package(name: "swift-aws-recorder", path: "..")
    ],
    targets: [
        example("Guide", "AWSKinesis"),
        example("CognitoFirehose", "AWSCognito", "AWSCore", "AWSKinesis"),
        example("ByteThreshold", "AWSKinesis"),
        example("Limits", "AWSKinesis"),
        example("Cancellation", "AWSKinesis"),
        example("Errors", "AWSKinesis"),
        example("CustomCredentials", "AWSKinesis"),
        example("Server", "AWSKinesis", language: .v6),
        example("AmplifyKinesis", "AmplifyFoundation", "AmplifyKinesisClient", language: .v6),
        example("AmplifyFirehose", "AmplifyFoundation", "AmplifyFirehoseClient", language: .v6),
        example("EscapeHatch", "AmplifyFoundation", "AmplifyKinesisClient", language: .v6),
        example("SideBySide", "AWSKinesis", "AmplifyFoundation", "AmplifyKinesisClient", language: .v6),
    ]
)
