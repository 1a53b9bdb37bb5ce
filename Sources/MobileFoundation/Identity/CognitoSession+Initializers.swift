import Foundation
import RecorderConfiguration

// An initializer of the provider only creates a session, so that each can be a designated one: subclasses override them and
// call them as `super.init`.
extension CognitoSession {
    /// A session of the helper's identity. The store is the pool's file.
    convenience init(
        _ helper: any AWSCognitoCredentialsProviderHelperProtocol,
        roles: Roles?,
        services: IdentityServices
    ) {
        let store = CognitoIdentityStore(poolID: helper.identityPoolId)
        self.init(helper, roles: roles, services: services, store: store)
    }

    /// A session with a helper of its own; the configuration has precedence over the region.
    convenience init(
        _ region: AWSRegionType,
        poolID: String,
        manager: (any AWSIdentityProviderManager)?,
        useEnhancedFlow: Bool = true,
        roles: Roles? = nil,
        configuration: AWSServiceConfiguration? = nil
    ) {
        let services = IdentityServices(region: region, configuration: configuration)
        let helper = AWSCognitoCredentialsProviderHelper(
            identityPoolId: poolID,
            useEnhancedFlow: useEnhancedFlow,
            identityProviderManager: manager,
            services: services
        )
        self.init(helper, roles: roles, services: services)
    }

    /// A session whose calls fail with an error that names the missing pool.
    convenience init(poolless helper: any AWSCognitoCredentialsProviderHelperProtocol) {
        self.init(helper, roles: nil, services: .none, store: CognitoIdentityStore())
    }
}
