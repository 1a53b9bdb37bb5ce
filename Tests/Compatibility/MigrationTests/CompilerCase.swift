import Foundation
import RecorderTestSupport

/// One section of CompilerErrors.md: code for the AWS SDK for iOS, and what MIGRATION.md says to write instead.
struct CompilerCase {
    let heading: String
    private var sources: [Source] = []

    private init(heading: String) {
        self.heading = heading
    }

    /// The code for the AWS SDK for iOS.
    var before: [Source] { sources.filter(\.isBefore) }

    /// The code to write instead.
    var after: [Source] { sources.filter { !$0.isBefore } }

    /// The messages of the heading.
    var messages: [String] { heading.codeSpans }

    /// One block of Swift.
    struct Source {
        /// A file name that is unique among all sources.
        let name: String
        let isBefore: Bool
        let group: SourceGroup
        var code = ""
    }

    /// Sources with the same group are compiled together, as one module.
    struct SourceGroup: Hashable {
        var language = "5"
        var seesModules = true
        /// The source or the section that is compiled without others.
        var alone: String?
    }

    /// All sections of the document.
    static func all() throws -> [CompilerCase] {
        let path = "\(Repository.path)/Tests/Compatibility/MigrationTests/CompilerErrors.md"
        var cases: [CompilerCase] = []
        var isInside = false
        for line in try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n") {
            let last = cases.count - 1
            if line.hasPrefix("## ") {
                cases.append(CompilerCase(heading: String(line.dropFirst(3))))
            } else if line.hasPrefix("```") {
                isInside = line != "```"
                if isInside { try cases[last].append(line.dropFirst("```swift ".count), section: cases.count) }
            } else if isInside {
                cases[last].sources[cases[last].sources.count - 1].code += line + "\n"
            }
        }
        return cases
    }

    /// Adds a source without code.
    private mutating func append(_ information: some StringProtocol, section: Int) throws {
        let words = information.components(separatedBy: ", ")
        let name = "Section\(section)Source\(sources.count + 1)"
        let isBefore = words[0] == "before"
        let group = try SourceGroup(words.dropFirst(), alone: isBefore ? name : "Section\(section)")
        sources.append(Source(name: name, isBefore: isBefore, group: group))
    }
}

extension CompilerCase.SourceGroup {
    struct UnknownOption: Error {
        let option: String
    }

    /// The options behind `before` or `after`.
    init(_ options: some Sequence<String>, alone name: String) throws {
        for option in options {
            switch option {
            case "alone": alone = name
            case "without modules": seesModules = false
            case "Swift 4", "Swift 6": language = String(option.suffix(1))
            default: throw UnknownOption(option: option)
            }
        }
    }
}
