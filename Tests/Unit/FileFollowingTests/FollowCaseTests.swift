import FileFollowing
import Testing

/// What a follower does in cases that few worlds have.
@Suite struct FollowCaseTests {
    @Test func `a pattern that is given twice is one`() {
        let patterns = ["/logs/*.log", "/logs//*.log", "*.log", "/logs/\u{e9}.log", "/logs/e\u{301}.log"]
        let found = FileFlow(stream: "app", patterns: patterns).filePatterns(in: "/logs")
        #expect(found.map(\.bytes) == ["/logs/*.log", "/logs/\u{e9}.log", "/logs/e\u{301}.log"].map { Array($0.utf8) })
    }
}
