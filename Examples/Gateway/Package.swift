// swift-tools-version: 6.3
import PackageDescription

let recorders = Target.Dependency.product(name: "KinesisRecorders", package: "swift-aws-recorder")

let package = Package(
    name: "Gateway",
    dependencies: [.package(name: "swift-aws-recorder", path: "../..")],
    targets: [
        .target(name: "GatewayKit", dependencies: [recorders]),
        .executableTarget(name: "Gateway", dependencies: ["GatewayKit", recorders]),
        .testTarget(name: "GatewayTests", dependencies: ["GatewayKit", recorders]),
    ]
)
