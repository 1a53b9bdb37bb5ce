import RecorderAWS

/// A metric and its values, in the text format of Prometheus, version 0.0.4:
/// https://prometheus.io/docs/instrumenting/exposition_formats/
package struct MetricFamily: Sendable {
    package enum Kind: String, Sendable {
        case counter, gauge, summary
    }

    package struct Sample: Sendable {
        /// `_sum` or `_count` of a summary.
        let suffix: String
        let labels: [(name: String, value: String)]
        let value: String

        package init(_ value: Int, suffix: String = "", labels: [(name: String, value: String)] = []) {
            (self.value, self.suffix, self.labels) = ("\(value)", suffix, labels)
        }

        package init(_ value: Double, suffix: String = "", labels: [(name: String, value: String)] = []) {
            (self.value, self.suffix, self.labels) = ("\(value)", suffix, labels)
        }
    }

    let name: String
    let kind: Kind
    let help: String
    let samples: [Sample]

    /// How the names of all metrics of this program begin.
    static let prefix = "kinesis_recorder_"

    /// The name gets the prefix of this program. It ends with the unit, and that of a counter with `_total`.
    package init(_ name: String, _ kind: Kind, help: String, samples: [Sample]) {
        self.name = Self.prefix + name
        self.kind = kind
        self.help = help
        self.samples = samples
    }

    /// The families that have samples, each with its help and its type before them. `labels` are added to each sample.
    package static func text(of families: [MetricFamily], labels: [(name: String, value: String)] = []) -> String {
        families.filter { !$0.samples.isEmpty }.map { $0.text(adding: labels) }.joined(separator: "\n")
    }

    private func text(adding common: [(name: String, value: String)]) -> String {
        let lines = samples.map { sample in
            let labels = (sample.labels + common).map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(
                separator: ","
            )
            return "\(name)\(sample.suffix)\(labels.isEmpty ? "" : "{\(labels)}") \(sample.value)"
        }
        return (["# HELP \(name) \(help)", "# TYPE \(name) \(kind.rawValue)"] + lines).joined(separator: "\n")
    }

    /// The value of a label. The format has escapes for three characters only.
    private static func escaped(_ value: String) -> String {
        // By scalars: a quote and a combining mark after it are one character.
        Visible.line(value).unicodeScalars.map { $0 == "\\" ? #"\\"# : $0 == "\"" ? #"\""# : String($0) }.joined()
    }
}

extension MetricFamily {
    /// The version of this program, as the label of a metric that is always 1, for each store.
    static func build(_ stores: [(service: String, path: String)]) -> MetricFamily {
        let stores: [[(name: String, value: String)]] = stores.map { [("service", $0.service), ("store", $0.path)] }
        return MetricFamily(
            "build_info",
            .gauge,
            help: "The version of kinesis-recorder; always 1.",
            samples: (stores.isEmpty ? [[]] : stores).map { Sample(1, labels: $0 + [("version", UserAgent.version)]) }
        )
    }

    /// Whether the stores of a process can be read.
    static func readable(_ stores: [(service: String, path: String, isReadable: Bool)]) -> MetricFamily {
        MetricFamily(
            "store_readable",
            .gauge,
            help: "1 if the store could be read just now, 0 if not: then it has no other values.",
            samples: stores.map {
                Sample($0.isReadable ? 1 : 0, labels: [("service", $0.service), ("store", $0.path)])
            }
        )
    }
}
