// swift-format-ignore-file
// Published code, unchanged.
import AWSKinesis
import Testing

struct SnippetTests {
    @Test func `the article's configuration is for the region it names`() {
        let configuration = ArticleSnippets.configureAWSCognito()
        #expect(configuration?.regionType == .USEast1)
        #expect(configuration?.credentialsProvider is AWSCognitoCredentialsProvider)
    }
}
