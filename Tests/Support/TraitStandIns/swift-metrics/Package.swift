// swift-tools-version: 6.2
import PackageDescription

// Stands in for the package of this name: the part of its API that ours and its tests call.
let package = Package(
    name: "swift-metrics",
    products: [.library(name: "Metrics", targets: ["Metrics"])],
    targets: [.target(name: "Metrics")]
)
