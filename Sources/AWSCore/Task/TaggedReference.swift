/// Objects as addresses that own them, for words that must change atomically: the one place that counts by hand.
enum TaggedReference {
    /// The object's address, which from now on owns it.
    static func retain(_ object: AnyObject) -> UInt {
        let address = unsafe UInt(bitPattern: Unmanaged.passRetained(object).toOpaque())
        assert(address & 3 == 0, "an object's address leaves two bits free")
        return address
    }

    /// Ends an address's ownership; 0 stands for no object.
    static func release(_ address: UInt) {
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: address) else { return }
        unsafe Unmanaged<AnyObject>.fromOpaque(pointer).release()
    }

    /// The object at an address, which goes on owning it.
    static func object<Object: AnyObject>(at address: UInt) -> Object {
        unsafe unmanaged(address).takeUnretainedValue()
    }

    /// The object at an address, which owns it no longer.
    static func take<Object: AnyObject>(_ address: UInt) -> Object {
        unsafe unmanaged(address).takeRetainedValue()
    }

    private static func unmanaged<Object: AnyObject>(_ address: UInt) -> Unmanaged<Object> {
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: address) else {
            fatalError("no object at address 0")
        }
        return unsafe Unmanaged.fromOpaque(pointer)
    }
}
