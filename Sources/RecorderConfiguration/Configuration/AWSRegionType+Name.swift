public import Foundation

extension AWSRegionType {
    /// The region with this name, such as `us-east-1`, or with this case name, ignoring upper and lower case; otherwise
    /// `Unknown`.
    public init(name: String) {
        let wanted = name.lowercased()
        self =
            Self.allCases.first { $0.name == wanted || String(describing: $0).lowercased() == wanted } ?? .Unknown
    }

    /// The name that AWS uses, such as `us-east-1`; nil for `Unknown`.
    public var name: String? { self == .Unknown ? nil : Self.names[rawValue - 1] }
}

extension NSString {
    /// The region with this name, such as `us-east-1`; `Unknown` if there is none.
    public func aws_regionTypeValue() -> AWSRegionType { AWSRegionType(name: String(self)) }
}

extension String {
    /// The region with this name, such as `us-east-1`; `Unknown` if there is none.
    public func aws_regionTypeValue() -> AWSRegionType { AWSRegionType(name: self) }
}
