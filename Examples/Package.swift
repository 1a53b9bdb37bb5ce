// swift-tools-version: 6.2
import PackageDescription

/// Programs as users write them: a package of its own, so they reach what is public and nothing else.
let package = Package(
    name: "Examples",
    dependencies: [
        .package(name: "swift-aws-recorder", path: "..")
    ],
    targets: [
        .executableTarget(
            name: "Guide",
            dependencies: [.product(name: "AWSKinesis", package: "swift-aws-recorder")]
        )
    ],
    swiftLanguageModes: [.v5]
)
