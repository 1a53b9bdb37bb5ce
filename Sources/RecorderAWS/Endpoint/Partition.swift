/// A separate part of AWS, with its own accounts and host names. `all` lists them; it comes from AWS's own list.
struct Partition: Sendable, Hashable {
    /// The name in ARNs, such as `aws-cn`.
    let name: String

    /// The suffix of its host names.
    let dnsSuffix: String

    /// The suffix of its host names with addresses of both IP versions.
    let dualStackSuffix: String

    /// The beginnings of its regions' names, before place and number: `us-gov` of `us-gov-west-1`.
    let areas: [String]
}

extension Partition {
    /// The partition of a region; the commercial one for an unknown region.
    init(of region: Region) {
        let words = region.name.split(separator: "-", omittingEmptySubsequences: false)
        let area = words.dropLast(2).joined(separator: "-")
        let isComplete = words.suffix(2).allSatisfy { !$0.isEmpty } && words.last?.allSatisfy(\.isNumber) == true
        self = Self.all.first { isComplete && $0.areas.contains(area) } ?? Self.all[0]
    }
}
