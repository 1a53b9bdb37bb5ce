public import Foundation
package import RecorderAWS

/// A structure that a service takes or gives. Its members are properties, all of them optional and writable.
///
/// Not for several threads at once.
open class AWSModel: NSObject, AWSCreatableModel {
    /// A model without any member set: what `init()` makes.
    public required init(blank: Void) {
        super.init()
    }

    /// A model without any member set.
    public static func emptyModel() -> Self {
        Self(blank: ())
    }
}

extension WireShape where Self: AWSModel {
    package static func blank() -> Self {
        emptyModel()
    }
}

/// A class whose `init()` is implicitly unwrapped, as that of the original's models is in Swift.
///
/// `AWSKinesisPutRecordInput()!` and `request?.data` both compile. `NSObject` has an `init()` that is not, which a class
/// cannot override so; a protocol can.
public protocol AWSCreatableModel {
    /// A model without any member set.
    static func emptyModel() -> Self
}

extension AWSCreatableModel {
    /// A model without any member set; never nil.
    public init!() {
        self = Self.emptyModel()
    }
}
