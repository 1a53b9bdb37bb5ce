// swift-tools-version: 6.2
import PackageDescription

// Stands in for the package of this name: the part of its API that ours and its tests call.
let package = Package(
    name: "swift-log",
    products: [.library(name: "Logging", targets: ["Logging"])],
    targets: [.target(name: "Logging")]
)
