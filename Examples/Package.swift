// swift-tools-version: 6.3
import PackageDescription

/// One example program; `language` is the language mode that it is written for.
func example(
    _ name: String,
    _ products: String...,
    path: String? = nil,
    language: SwiftLanguageMode = .v5
) -> Target {
    .executableTarget(
        name: name,
        dependencies: products.map { .product(name: $0, package: "swift-aws-recorder") },
        path: path,
        swiftSettings: [.swiftLanguageMode(language)]
    )
}

let recorders = Target.Dependency.product(name: "KinesisRecorders", package: "swift-aws-recorder")

/// A separate package, so that the examples can only use the public API.
let package = Package(
    name: "Examples",
    dependencies: [
        .package(name: "swift-aws-recorder", path: "..")
    ],
    targets: [
        example("FirstRecorder", "KinesisRecorders", language: .v6),
        example("FirstClient", "AmplifyKinesisClient", language: .v6),
        example("Guide", "AWSKinesis"),
        example("CognitoFirehose", "AWSCognito", "AWSCore", "AWSKinesis"),
        example("Port", "AWSCognito", "AWSCore", "AWSKinesis", path: "Port/After"),
        example("ByteThreshold", "AWSKinesis"),
        example("Limits", "AWSKinesis"),
        example("Cancellation", "AWSKinesis"),
        example("Errors", "AWSKinesis"),
        example("CustomCredentials", "AWSKinesis"),
        example("Server", "KinesisRecorders", language: .v6),
        example("AmplifyKinesis", "AmplifyFoundation", "AmplifyKinesisClient", language: .v6),
        example("AmplifyFirehose", "AmplifyFoundation", "AmplifyFirehoseClient", language: .v6),
        example("EscapeHatch", "AmplifyFoundation", "AmplifyKinesisClient", language: .v6),
        example("SideBySide", "AWSKinesis", "AmplifyFoundation", "AmplifyKinesisClient", language: .v6),

        // Has a manifest of its own, too, to be taken as a whole.
        .target(name: "GatewayKit", dependencies: [recorders], path: "Gateway/Sources/GatewayKit"),
        .executableTarget(name: "Gateway", dependencies: ["GatewayKit", recorders], path: "Gateway/Sources/Gateway"),
        .testTarget(name: "GatewayTests", dependencies: ["GatewayKit", recorders], path: "Gateway/Tests/GatewayTests"),
    ]
)
