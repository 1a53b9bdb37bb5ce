/// Globs with alternatives in braces, as in `/var/log/{app,web}.log`.
package enum BracePattern {
    package static let most = 100

    /// The globs without braces; nil if braces are not closed, are nested or stand for too many.
    package static func expand(_ pattern: String) -> [String]? {
        var globs = [""]
        var alternatives: [String]?
        var characters = Array(pattern)[...]
        while let character = characters.popFirst() {
            switch (character, alternatives) {
            case ("{", nil): alternatives = [""]
            case ("{", _?), ("/", _?): return nil
            case (",", let found?): alternatives = found + [""]
            case ("}", let found?):
                globs = globs.flatMap { glob in found.map { glob + $0 } }
                alternatives = nil
            default:
                var text = String(character)
                if character == "\\", let next = characters.popFirst() { text.append(next) }
                if var found = alternatives {
                    found[found.count - 1] += text
                    alternatives = found
                } else {
                    globs = globs.map { $0 + text }
                }
            }
            guard globs.count <= most else { return nil }
        }
        return alternatives == nil ? globs : nil
    }
}
