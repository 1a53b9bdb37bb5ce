import Glibc

/// Explains a path for messages: the symbolic links in it, and where and why it cannot be followed.
///
/// Too slow for anything else: each component costs a system call or two.
package enum PathDiagnosis {
    /// A symbolic link and its target.
    package struct Link: Sendable, Hashable {
        package let path: String
        package let target: String
    }

    /// The symbolic links among the components of an absolute path, from the root down.
    package static func links(in path: String) -> [Link] {
        components(of: path).compactMap(link)
    }

    /// The first component that cannot be followed, with the reason; nil if there is none, or if that component does not
    /// exist.
    package static func obstacle(in path: String) -> String? {
        let all = components(of: path)
        for (index, component) in all.enumerated() {
            var status = stat()
            if stat(component, &status) == 0 {
                if index < all.count - 1, status.st_mode & S_IFMT != S_IFDIR {
                    return "\(component) is not a directory"
                }
                continue
            }
            let number = errno
            guard let link = link(at: component) else {
                guard number != ENOENT else { return nil }
                let owner = number == EACCES && index > 0 ? FileRights.otherOwner(of: all[index - 1]) : nil
                return "\(component): \(String(errorNumber: number))\(owner.map { "; \($0)" } ?? "")"
            }
            let reason =
                switch number {
                case ENOENT: "which does not exist"
                case ELOOP: "which is part of a loop"
                default: "which cannot be followed (\(String(errorNumber: number)))"
                }
            return "\(component) is a symbolic link to \(link.target), \(reason)"
        }
        return nil
    }

    /// What to do about an `errno` that says that no more files can be opened; nil for any other.
    package static func descriptorAdvice(for number: Int32) -> String? {
        switch number {
        case EMFILE:
            "this process has as many files open as it may. Close some, or raise its limit (ulimit -n, LimitNOFILE=)."
        case ENFILE: "this machine has as many files open as it may. Stop what holds them, or raise fs.file-max."
        default: nil
        }
    }

    /// The link at a path; nil if there is none.
    package static func link(at path: String) -> Link? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &buffer, buffer.count)
        return count < 0 ? nil : Link(path: path, target: String(decoding: buffer.prefix(count), as: UTF8.self))
    }

    /// The path of each component: `/a`, `/a/b` and `/a/b/c` for `/a//b/c/`.
    package static func components(of path: String) -> [String] {
        var found: [String] = []
        for name in path.split(separator: "/") { found.append("\(found.last ?? "")/\(name)") }
        return found
    }
}

extension String {
    /// The system's text for an `errno`.
    package init(errorNumber: Int32) {
        self = String(cString: strerror(errorNumber))
    }
}
