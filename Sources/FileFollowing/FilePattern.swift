import Glibc

/// A path, or a pattern of paths with the wildcards of a shell, that names the files of a flow.
///
/// A file that was rotated away keeps its content under another name in its directory: `app.log.1`, `app.log-20261123`,
/// `app-2026-11-23.log`. Such names belong to the pattern too.
package struct FilePattern: Sendable, Hashable {
    /// How a file's name belongs to the pattern.
    package enum Relation: Sendable, Hashable {
        case matches
        /// The name of a file that was rotated away.
        case rotated
        /// Such a name, which the pattern matches itself; another file has the name without the rotation.
        case matchesRotated
        /// A compressed file. It is read if it was followed before it was compressed.
        case compressed
    }

    /// Absolute.
    package let text: String
    /// What tells patterns apart that are equal as text.
    package var bytes: [UInt8] { Array(text.utf8) }
    /// Patterns of names, or of paths if they have a slash: files that are left out.
    private let excluded: [String]
    /// Files that this process writes.
    let own: OwnFiles
    /// The components of the directories, and the pattern of the name.
    private let directories: [String]
    private let name: String
    /// How every name that belongs to it begins: up to where it may be another before and after a rotation.
    let fixedStart: String

    /// Names are relative to `directory`.
    package init(
        _ pattern: String,
        in directory: String,
        excluding excluded: [String] = [],
        own: OwnFiles = OwnFiles()
    ) {
        (self.excluded, self.own) = (excluded, own)
        let absolute = pattern.hasPrefix("/") ? pattern : "\(directory)/\(pattern)"
        let parts = absolute.split(separator: "/").map(String.init).filter { $0 != "." }
        text = "/\(parts.joined(separator: "/"))"
        directories = Array(parts.dropLast())
        name = parts.last ?? ""
        fixedStart = String(name.prefix { $0.isASCII && !"\(Self.separators)\(Self.wildcards)\\".contains($0) })
    }

    /// Whether it can name more than one file at a time.
    package var hasWildcards: Bool { (directories + [name]).contains(where: Self.isWild) }

    /// Whether the names of its directories have wildcards.
    var hasWildDirectories: Bool { directories.contains(where: Self.isWild) }

    /// Its directories that exist, those in which others that fit may appear, and those that cannot be read, with the error.
    package func existingDirectories(
        in system: any FileSystem
    ) -> (fitting: [String], parents: [String], unreadable: [String: Int32]) {
        var (fitting, parents, unreadable) = ([""], [String](), [String: Int32]())
        func names(in parent: String) -> [String] {
            let directory = parent.isEmpty ? "/" : parent
            parents.append(directory)
            guard let names = system.names(in: directory, from: "") else {
                unreadable[directory] = errno
                return []
            }
            return names.compactMap { if case .text(let name) = $0 { name } else { nil } }.sorted()
        }
        /// A directory, and all below it, without hidden ones and links.
        func descendants(of directory: String) -> [String] {
            [directory]
                + names(in: directory).filter { !$0.hasPrefix(".") }.map { "\(directory)/\($0)" }
                .filter { system.facts(of: $0, followsLink: false)?.kind == .directory }.flatMap(descendants)
        }
        for part in directories {
            if part == "**" {
                fitting = fitting.flatMap(descendants)
            } else if Self.isWild(part) {
                fitting = fitting.flatMap { parent in
                    names(in: parent).filter { Self.fits($0, part) }.map { "\(parent)/\($0)" }
                }
            } else {
                fitting = fitting.map { "\($0)/\(part)" }
            }
        }
        return (fitting.map { $0.isEmpty ? "/" : $0 }, parents, unreadable)
    }

    /// Whether a file with this path is left out.
    func excludes(_ path: String) -> Bool {
        excluded.contains { pattern in
            guard pattern.contains("/") else {
                let name = path.split(separator: "/").last.map(String.init) ?? path
                return unsafe fnmatch(pattern, name, 0) == 0
            }
            return unsafe fnmatch(pattern, path, FNM_PATHNAME) == 0
        }
    }

    /// How a name in one of the directories belongs to the pattern, and the name that the file had before it was rotated; nil if
    /// it does not belong.
    func relation(of found: String) -> (relation: Relation, base: String)? {
        guard found.utf8.starts(with: fixedStart.utf8) else { return nil }
        guard let ending = Self.compressed.first(where: { found.hasSuffix($0) }) else {
            let base = Self.unrotatedNames(of: found).first { Self.fits($0, name) }
            if Self.fits(found, name) { return (.matches, base ?? found) }
            return base.map { (.rotated, $0) }
        }
        let original = String(found.dropLast(ending.count))
        let base = (Self.unrotatedNames(of: original) + [original]).first { Self.fits($0, name) }
        return base.map { (.compressed, $0) } ?? (Self.fits(found, name) ? (.compressed, found) : nil)
    }

    /// The path that a file had before it was rotated, if it belongs to the pattern.
    package func base(ofPath path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return path }
        let directory = path[...slash]
        return relation(of: String(path[path.index(after: slash)...])).map { "\(directory)\($0.base)" } ?? path
    }

    /// How a name belongs to the literal name of a file.
    static func relation(of found: String, to name: String) -> Relation? {
        if fits(found, literal: name) { return .matches }
        return unrotatedNames(of: found).contains { fits($0, literal: name) } ? .rotated : nil
    }

    private static let compressed = [".gz", ".bz2", ".xz", ".zst", ".lz4", ".Z", ".zip", ".lzma", ".br"]

    private static let wildcards = "*?["
    /// What stands before the number or the date of a rotated file.
    private static let separators = ".-_"

    private static func isWild(_ text: String) -> Bool {
        text.contains { wildcards.contains($0) }
    }

    private static func fits(_ name: String, _ pattern: String) -> Bool {
        if fits(name, literal: pattern) { return true }
        return unsafe isWild(pattern) && fnmatch(pattern, name, FNM_PERIOD) == 0
    }

    /// By bytes: two names may be equal as text, and not be the same.
    private static func fits(_ name: String, literal: String) -> Bool { name.utf8.elementsEqual(literal.utf8) }

    /// The names that a rotated file may have had: without the numbers and dates at its end, or before its extension.
    private static func unrotatedNames(of name: String) -> [String] {
        var names: [String] = []
        var rest = name[...]
        while let shorter = withoutLastPart(rest) {
            names.append(String(shorter))
            rest = shorter
        }
        if let dot = name.lastIndex(of: "."), var stem = withoutLastPart(name[..<dot]) {
            names.append("\(stem)\(name[dot...])")
            while let shorter = withoutLastPart(stem) {
                names.append("\(shorter)\(name[dot...])")
                stem = shorter
            }
        }
        // The shortest is the oldest name.
        return names.reversed()
    }

    /// Without `.1`, `-20261123`, `.old`; nil if there is no such part.
    private static func withoutLastPart(_ name: Substring) -> Substring? {
        guard let separator = name.lastIndex(where: { separators.contains($0) }), separator > name.startIndex else {
            return nil
        }
        let part = name[name.index(after: separator)...]
        let digits = part.utf8.count { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let isDate = digits > 0 && digits + part.utf8.count { "T:Z".utf8.contains($0) } == part.utf8.count
        return isDate || part == "old" ? name[..<separator] : nil
    }
}
