import Foundation

// swift run -c release Benchmarks [--list] [--quick] [--draw] [--json FILE] [--chart FILE] [--table FILE] [P9 ...]
//
// Prints a line per figure, with a baseline measured in the same run; exits with 1 if a figure misses its target. The
// figures replace those of the same benchmarks in the JSON file. The chart is SVG; the table goes between two comments of a
// Markdown file. `--draw` measures nothing and draws the figures in the JSON file.

// P9 comes first: it measures heap growth, and a fragmented heap would reuse free blocks instead.
let benchmarks: [Benchmark] = [
    p9Tasks, p1AwaitedSaves, p2GroupedSaves, p3DrainCost, p4DrainRate, p5BatchCost, p6Opening, p7DrainMemory,
    p8RequestsAtOnce, p10SaveDuringSubmit, p11BytesWritten, p12AmplifyFlush, p13IngestCost, p14Sizes,
    p15OtherForms, p16FollowCost, p17NumberedKeys, p19SlowDisk,
]

var arguments = Array(CommandLine.arguments.dropFirst())
if arguments.count == 3, arguments[0] == AmplifyBacklog.argument {
    try AmplifyBacklog.drainAndPrint(arguments[1], arguments[2])
    exit(0)
}

var outputs = Outputs(&arguments)
if arguments == ["--draw"] {
    try outputs.write()
    exit(0)
}

var wanted = Set(arguments)
let effort: Effort = wanted.remove("--quick") == nil ? .full : .quick
let unknown = wanted.subtracting(benchmarks.map(\.name))
guard unknown.isEmpty else {
    let isHelp = unknown.isSubset(of: ["--list", "--help"])
    if !isHelp { print("Unknown benchmark: \(unknown.sorted().joined(separator: ", ")). Available:") }
    for benchmark in benchmarks { print("  \(benchmark.name)  \(benchmark.about)") }
    exit(isHelp ? 0 : 2)
}

var (missedTarget, hasUndecided) = (false, false)
for benchmark in benchmarks where wanted.isEmpty || wanted.contains(benchmark.name) {
    let others = OtherWork()
    let figures = try benchmark.measure(effort)
    outputs.drop(benchmark)
    let share = others.share()
    let isNoisy = benchmark.needsQuiet && share > OtherWork.tolerable
    for var figure in figures {
        figure.isNoisy = isNoisy
        figure.isUndecided = effort == .quick && !benchmark.quickDecides && !figure.isMet
        print(figure)
        outputs.add(figure, of: benchmark)
        missedTarget = missedTarget || !(figure.isMet || figure.isUndecided)
        hasUndecided = hasUndecided || figure.isUndecided
    }
    if isNoisy {
        print("\(benchmark.name) noisy: other programs used \(Int(share * 100)) % of the processors; run it again")
    }
    fflush(nil)
}
if hasUndecided { print("undecided: a --quick run is too short for these targets; run them without --quick") }
try outputs.write()
exit(missedTarget ? 1 : 0)
