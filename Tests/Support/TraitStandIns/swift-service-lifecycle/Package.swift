// swift-tools-version: 6.2
import PackageDescription

// Stands in for the package of this name: the part of its API that ours and its tests call.
let package = Package(
    name: "swift-service-lifecycle",
    products: [.library(name: "ServiceLifecycle", targets: ["ServiceLifecycle"])],
    dependencies: [.package(url: "https://github.com/apple/swift-log.git", from: "1.6.0")],
    targets: [
        .target(name: "ServiceLifecycle", dependencies: [.product(name: "Logging", package: "swift-log")])
    ]
)
