import AWSCore
import Foundation
import Testing

/// Chains that old code casts. On iOS generic types are erased, so such casts always succeed there.
struct CastTests {
    private static let name = "graph.facebook.com"
    private let login = AWSTask<NSString>(result: "token")
    private let guest = AWSTask<NSString>(result: nil)
    private let any = AWSTask<AnyObject>(result: "any" as NSString)

    /// As in the Cognito guide: the logins follow from a token.
    final class ProviderManager: NSObject, AWSIdentityProviderManager {
        let source: AWSTask<NSString>

        init(source: AWSTask<NSString>) {
            self.source = source
        }

        func logins() -> AWSTask<NSDictionary> {
            // swift-format-ignore: NeverForceUnwrap
            return source.continueOnSuccessWith { (task) -> AWSTask<NSDictionary>? in
                if let token = task.result {
                    return AWSTask(result: [CastTests.name: token])
                }
                return AWSTask(error: NSError(domain: "test", code: -1, userInfo: ["no": "token"]))
            } as! AWSTask<NSDictionary>
        }
    }

    /// The same with a conditional cast, which gave a guest when it failed.
    final class ConditionalProviderManager: NSObject, AWSIdentityProviderManager {
        let source: AWSTask<NSString>

        init(source: AWSTask<NSString>) {
            self.source = source
        }

        func logins() -> AWSTask<NSDictionary> {
            let task = source.continueWith(block: { (task: AWSTask<NSString>) -> AWSTask<NSDictionary>? in
                guard let token = task.result else { return nil }
                return AWSTask(result: NSDictionary(dictionary: [CastTests.name: token]))
            })
            if let logins = task as? AWSTask<NSDictionary> {
                return logins
            }
            return AWSTask(result: nil)
        }
    }

    private func expectLogin(_ task: AWSTask<NSDictionary>?, _ shape: String) {
        #expect(task?.result as? [String: String] == [Self.name: "token"], "\(shape)")
    }

    @Test func `an identity provider that casts its chain gives the user's logins`() {
        expectLogin(ProviderManager(source: login).logins(), "as!")
        expectLogin(ConditionalProviderManager(source: login).logins(), "as?")
        #expect((ProviderManager(source: guest).logins().error as NSError?)?.code == -1)
        #expect(ConditionalProviderManager(source: guest).logins().result == nil)
        let cancelled = AWSTask<NSString>.cancelled()
        #expect(ProviderManager(source: cancelled).logins().isCancelled)
    }

    @Test func `a cast runs after each continuation, with an executor and a token too`() {
        let logins = AWSTask<NSDictionary>(result: [Self.name: "token"])
        let token = AWSCancellationTokenSource().token
        expectLogin(
            login.continueWith { (task) -> AWSTask<NSDictionary>? in
                return logins
            } as! AWSTask<NSDictionary>,
            "continueWith"
        )
        expectLogin(
            login.continueOnSuccessWith(block: { (task: AWSTask<NSString>) -> AWSTask<NSDictionary> in
                return logins
            }) as! AWSTask<NSDictionary>,
            "not optional"
        )
        expectLogin(
            login.continueWith(
                executor: AWSExecutor.immediate(),
                block: { (task) -> AWSTask<NSDictionary>? in
                    return logins
                }
            ) as? AWSTask<NSDictionary>,
            "executor"
        )
        expectLogin(
            login.continueOnSuccessWith(executor: .default()) { (task) -> AWSTask<NSDictionary>? in
                return logins
            } as! AWSTask<NSDictionary>,
            "executor and trailing closure"
        )
        expectLogin(
            login.continueOnSuccessWith(
                block: { (task: AWSTask!) -> AWSTask<NSDictionary>? in
                    return logins
                },
                cancellationToken: token
            ) as! AWSTask<NSDictionary>,
            "token"
        )
        expectLogin(
            login.continueWith(
                executor: .immediate(),
                block: { task -> AWSTask<NSDictionary>? in
                    return logins
                },
                cancellationToken: token
            ) as! AWSTask<NSDictionary>,
            "executor and token"
        )
    }

    @Test func `a cast of a chain without written types runs if all its blocks return tasks of one type`() {
        let logins = AWSTask<NSDictionary>(result: [Self.name: "token"])
        expectLogin(login.continueWith { _ in logins } as! AWSTask<NSDictionary>, "one expression")
        expectLogin(login.continueWith { $0.isFaulted ? nil : logins } as? AWSTask<NSDictionary>, "ternary")
        expectLogin(
            login.continueWith { task in
                if task.isFaulted { return nil }
                return logins
            } as! AWSTask<NSDictionary>,
            "nil first"
        )
        expectLogin(
            login.continueWith { task in
                guard let token = task.result else {
                    return AWSTask(error: task.error!)
                }
                return AWSTask(result: [Self.name: token])
            } as! AWSTask<NSDictionary>,
            "error first"
        )
        expectLogin(
            any.continueOnSuccessWith { task in
                self.login
            }.continueOnSuccessWith { task in
                return AWSTask(result: [Self.name: task.result!] as NSDictionary)
            } as! AWSTask<NSDictionary>,
            "a chain of chains"
        )
    }

    @Test func `a function may return the chain without a cast`() {
        func logins() -> AWSTask<NSDictionary> {
            return any.continueOnSuccessWith { (task) -> AWSTask<NSString>? in
                return self.login
            }.continueOnSuccessWith { (task) -> AWSTask<NSDictionary>? in
                return AWSTask(result: [Self.name: task.result!])
            }
        }
        func token() -> AWSTask<NSString> {
            any.continueOnSuccessWith { _ in self.login }
        }
        expectLogin(logins(), "two blocks")
        #expect(token().result == "token")
    }

    @Test func `a chain is untyped where an untyped task is expected`() {
        func returned() -> AWSTask<AnyObject> {
            return any.continueWith { (task) -> AWSTask<NSString>? in
                return self.login
            }
        }
        func optional() -> AWSTask<AnyObject>? {
            any.continueWith { _ in self.login }
        }
        let stored: AWSTask<AnyObject> = any.continueOnSuccessWith { (task) -> AWSTask<NSString>? in self.login }
        let coerced = any.continueOnSuccessWith { (task) -> AWSTask<NSString>? in self.login } as AWSTask<AnyObject>
        var assigned = any
        for _ in 0..<2 {
            assigned = assigned.continueWith { _ -> AWSTask<NSString>? in self.login }
        }
        var tasks = Array<AWSTask<AnyObject>>()
        tasks.append(any.continueWith { (task) -> AWSTask<NSString>? in return self.login })
        tasks += [returned(), optional()!, stored, coerced, assigned]
        #expect(tasks.allSatisfy { $0.result as? String == "token" })
    }

    @Test func `a block of an untyped task may follow a block that returns a typed one`() {
        let chain = any.continueOnSuccessWith { (task) -> AWSTask<NSString>? in
            return self.login
        }.continueOnSuccessWith { (task: AWSTask<AnyObject>) -> AWSTask<NSString>? in
            return task.result as? String == "token" ? self.login : nil
        }.continueWith { (task: AWSTask<AnyObject>) -> Any? in
            return task.result
        }
        #expect(chain.result as? String == "token")
    }

    @Test func `results of typed chains are read as before`() {
        let logins = AWSTask<NSDictionary>(result: [Self.name: "token"])
        #expect(any.continueWith { _ in self.login }.result as? String == "token")
        #expect(any.continueWith { _ in self.login }.result as! String == "token")
        #expect(any.continueWith { _ in logins }.result as? [String: Any] != nil)
        #expect(any.continueWith { _ in logins }.result as! [String: String] == [Self.name: "token"])
        any.continueWith { _ in logins }.continueWith { task in
            #expect(task.result as? NSDictionary != nil)
        }
        any.continueWith { _ in self.login }.continueWith { task in
            if let result = task.result as? NSString {
                #expect(result == "token")
            } else {
                Issue.record("no result")
            }
        }
    }

    @Test func `untyped blocks give untyped tasks`() {
        struct TestError: Error {}
        let logins = AWSTask<NSDictionary>(result: [Self.name: "token"])
        let untyped: (AWSTask<AnyObject>) -> Any? = { _ in logins }
        let typed: (AWSTask<AnyObject>) -> AWSTask<NSDictionary>? = { _ in logins }
        let chains: [AWSTask<AnyObject>] = [
            any.continueWith { (task) -> Any? in return logins },
            any.continueWith { (task) -> AnyObject? in return logins },
            any.continueWith { (task) -> Any in return logins },
            any.continueWith { (task) -> AWSTask<AnyObject>? in return AWSTask(result: logins.result) },
            any.continueWith { (task) -> AWSTask? in return AWSTask(result: logins.result as AnyObject) },
            any.continueWith { (task) -> AWSAnyTask in return logins },
            any.continueWith { _ in [Self.name: "token"] },
            any.continueWith { _ in AWSTask(result: [Self.name: "token"]) },
            any.continueWith { task in
                if task.isFaulted { return "failed" }
                return logins
            },
            any.continueWith { task in
                if task.isFaulted { return self.login }
                return logins
            },
            any.continueWith { _ in self.any.continueWith { _ in self.any.continueWith { _ in logins } } },
            any.continueWith(block: untyped),
            any.continueWith(block: typed),
        ]
        for chain in chains {
            #expect(chain.result as? [String: String] == [Self.name: "token"])
        }
        let empty = [
            any.continueWith { _ in nil },
            any.continueWith { _ in },
            any.continueWith { task in print("", terminator: "") },
            any.continueWith { (task) -> Void in },
            any.continueWith { _ in AWSTask(result: nil) },
            any.continueWith { _ in AWSTask(delay: 0) },
        ]
        for chain in empty {
            chain.waitUntilFinished()
            #expect(!chain.isFaulted && chain.result == nil)
        }
        #expect(any.continueWith { _ in throw TestError() }.isFaulted)
        #expect(any.continueWith { _ in AWSTask(error: TestError()) }.isFaulted)
        #expect(any.continueWith { _ in AWSTask.cancelled() }.isCancelled)
    }

    @Test func `a task that cannot be cast can be converted`() {
        func logins() -> AWSTask<NSDictionary> {
            return AWSTask(
                login.continueOnSuccessWith { (task) -> Any? in
                    return [Self.name: task.result!]
                }
            )
        }
        expectLogin(logins(), "from Any")
        let up = AWSTask<AnyObject>(login)
        #expect(up.result as? String == "token")
    }
}
