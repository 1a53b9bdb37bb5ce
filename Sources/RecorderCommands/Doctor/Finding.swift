/// What one check of the doctor found.
struct Finding: Sendable {
    enum Grade: String, Sendable {
        case ok = "ok  "
        case warning = "warn"
        case failure = "FAIL"
    }

    let grade: Grade
    let topic: String
    let text: String
    /// What to do about it.
    let advice: String?
    /// How the program ends for a failure.
    let status: ExitStatus

    static func ok(_ topic: String, _ text: String) -> Finding {
        Finding(grade: .ok, topic: topic, text: text, advice: nil, status: .success)
    }

    static func warning(_ topic: String, _ text: String, _ advice: String? = nil) -> Finding {
        Finding(grade: .warning, topic: topic, text: text, advice: advice, status: .success)
    }

    static func failure(_ topic: String, _ text: String, _ advice: String? = nil, _ status: ExitStatus) -> Finding {
        Finding(grade: .failure, topic: topic, text: text, advice: advice, status: status)
    }

    var line: String {
        let blanks = String(repeating: " ", count: max(12 - topic.count, 1))
        return "\(grade.rawValue)  \(topic)\(blanks)\(Visible.line(text))"
            + (advice.map { "\n                  -> \(Visible.line($0))" } ?? "")
    }
}
