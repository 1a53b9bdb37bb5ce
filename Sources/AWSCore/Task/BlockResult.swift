import Foundation

/// What a block's return value means for the task that the block was to complete.
enum BlockResult {
    case value(AnyObject?)
    case task(AWSAnyTask)

    /// Nil stays nil, at any depth of optionals: the plain cast to an object would make it an `NSNull`. The value of a
    /// block that only does something, `()`, is nil too.
    init(_ returned: Any?) {
        guard let returned else {
            self = .value(nil)
            return
        }
        // Cheap first: this cast costs a fifth of the one below, which also turns strings and numbers into objects.
        if let object = returned as? NSObject {
            if let task = object as? AWSAnyTask { self = .task(task) } else { self = .value(object) }
        } else if let optional = returned as? any AnyOptional {
            self = BlockResult(optional.wrappedValue)
        } else if returned is Void {
            self = .value(nil)
        } else {
            self = .value(returned as AnyObject)
        }
    }

    /// The returned object, a task too where a task is what was meant as a value.
    var object: AnyObject? {
        switch self {
        case .value(let object): object
        case .task(let task): task
        }
    }
}

/// An optional whose type is not known.
private protocol AnyOptional {
    var wrappedValue: Any? { get }
}

extension Optional: AnyOptional {
    fileprivate var wrappedValue: Any? { self.map { $0 as Any } }
}
