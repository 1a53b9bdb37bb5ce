import Foundation

/// What a body looks like, without what it says: the names of its fields, and of each value the kind and the size.
enum BodyOutline {
    static func text(of body: [UInt8]) -> String {
        guard let value = try? JSONSerialization.jsonObject(with: Data(body)) else { return "(no JSON)" }
        return outline(value, depth: 0)
    }

    private static func outline(_ value: Any, depth: Int) -> String {
        guard depth < 8 else { return "…" }
        switch value {
        case let fields as [String: Any]:
            let shown = fields.sorted { $0.key < $1.key }.prefix(32).map { name, value in
                "\"\(Legible.text(name, limit: 64))\":\(outline(value, depth: depth + 1))"
            }
            return "{\(shown.joined(separator: ","))}"
        case let values as [Any]:
            // Lists of records look the same all over, so the first stands for all.
            return values.first.map { "[\(values.count) × \(outline($0, depth: depth + 1))]" } ?? "[]"
        case let text as String: return "text(\(text.utf8.count))"
        case is NSNull: return "null"
        default: return "number"
        }
    }
}
