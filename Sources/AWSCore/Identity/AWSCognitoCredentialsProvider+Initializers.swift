import Foundation

extension AWSCognitoCredentialsProvider {
    /// Provides a guest's keys, by the enhanced flow.
    ///
    /// - Parameters:
    ///   - regionType: The region of the pool.
    ///   - identityPoolId: The pool's ID, such as `us-east-1:` and a UUID.
    public convenience init(regionType: AWSRegionType, identityPoolId: String) {
        self.init(regionType: regionType, identityPoolId: identityPoolId, identityProviderManager: nil)
    }

    /// Provides the keys of the user with the manager's logins, by the enhanced flow.
    ///
    /// - Parameters:
    ///   - regionType: The region of the pool.
    ///   - identityPoolId: The pool's ID, such as `us-east-1:` and a UUID.
    ///   - identityProviderManager: Provides the logins; nil for a guest.
    public convenience init(
        regionType: AWSRegionType,
        identityPoolId: String,
        identityProviderManager: (any AWSIdentityProviderManager)?
    ) {
        let helper = AWSCognitoCredentialsProviderHelper(
            regionType: regionType,
            identityPoolId: identityPoolId,
            useEnhancedFlow: true,
            identityProviderManager: identityProviderManager
        )
        self.init(regionType: regionType, identityProvider: helper)
    }

    /// Provides the keys of the helper's identity, by the enhanced flow.
    ///
    /// - Parameters:
    ///   - regionType: The region of the pool.
    ///   - identityProvider: Provides the identity. Pass your own for identities that your backend authenticates.
    public convenience init(
        regionType: AWSRegionType,
        identityProvider: any AWSCognitoCredentialsProviderHelperProtocol
    ) {
        self.init(identityProvider, services: IdentityServices(region: regionType))
    }

    /// Provides the keys of the helper's identity, by the classic flow; by the enhanced flow if both roles are nil.
    ///
    /// - Parameters:
    ///   - regionType: The region of the pool, and of the STS endpoint.
    ///   - unauthRoleArn: The role of guests. If nil, guests get an error.
    ///   - authRoleArn: The role of users with a login. If nil, they get an error.
    ///   - identityProvider: Provides the identity. Its `token()` must be a token of Cognito.
    public convenience init(
        regionType: AWSRegionType,
        unauthRoleArn: String?,
        authRoleArn: String?,
        identityProvider: any AWSCognitoCredentialsProviderHelperProtocol
    ) {
        self.init(
            identityProvider,
            roles: CognitoSession.Roles(unauthenticated: unauthRoleArn, authenticated: authRoleArn),
            services: IdentityServices(region: regionType)
        )
    }

    /// Provides the keys of the user with the manager's logins, by the classic flow.
    ///
    /// - Parameters:
    ///   - regionType: The region of the pool, and of the STS endpoint.
    ///   - identityPoolId: The pool's ID, such as `us-east-1:` and a UUID.
    ///   - unauthRoleArn: The role of guests. If nil, guests get an error.
    ///   - authRoleArn: The role of users with a login. If nil, they get an error.
    ///   - identityProviderManager: Provides the logins; nil for a guest.
    public convenience init(
        regionType: AWSRegionType,
        identityPoolId: String,
        unauthRoleArn: String?,
        authRoleArn: String?,
        identityProviderManager: (any AWSIdentityProviderManager)?
    ) {
        let helper = AWSCognitoCredentialsProviderHelper(
            regionType: regionType,
            identityPoolId: identityPoolId,
            useEnhancedFlow: false,
            identityProviderManager: identityProviderManager
        )
        self.init(
            regionType: regionType,
            unauthRoleArn: unauthRoleArn,
            authRoleArn: authRoleArn,
            identityProvider: helper
        )
    }

    /// Provides a guest's keys, by the enhanced flow, with custom settings for the calls to Cognito.
    ///
    /// - Parameters:
    ///   - regionType: Has no effect; the configuration's region is used.
    ///   - identityPoolId: The pool's ID, such as `us-east-1:` and a UUID.
    ///   - identityPoolConfiguration: Region, address, timeouts and retries; its credentials are not used.
    public convenience init(
        regionType: AWSRegionType,
        identityPoolId: String,
        identityPoolConfiguration: AWSServiceConfiguration
    ) {
        let helper = AWSCognitoCredentialsProviderHelper(
            regionType: regionType,
            identityPoolId: identityPoolId,
            useEnhancedFlow: true,
            identityProviderManager: nil,
            identityPoolConfiguration: identityPoolConfiguration
        )
        self.init(
            helper,
            services: IdentityServices(region: regionType, configuration: identityPoolConfiguration)
        )
    }

    /// A provider with custom environment variables and clock; of the classic flow if there are roles.
    package convenience init(
        regionType: AWSRegionType,
        identityPoolId: String,
        identityProviderManager: (any AWSIdentityProviderManager)? = nil,
        unauthRoleArn: String? = nil,
        authRoleArn: String? = nil,
        environment: [String: String],
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        let services = IdentityServices(region: regionType, environment: environment)
        let isClassic = unauthRoleArn != nil || authRoleArn != nil
        let helper = AWSCognitoCredentialsProviderHelper(
            identityPoolId: identityPoolId,
            useEnhancedFlow: !isClassic,
            identityProviderManager: identityProviderManager,
            services: services
        )
        self.init(
            helper,
            roles: CognitoSession.Roles(unauthenticated: unauthRoleArn, authenticated: authRoleArn),
            services: services,
            store: CognitoIdentityStore(poolID: identityPoolId, environment: environment, now: now)
        )
    }

    /// A provider with a custom helper and custom environment variables.
    package convenience init(
        regionType: AWSRegionType,
        identityProvider: any AWSCognitoCredentialsProviderHelperProtocol,
        environment: [String: String]
    ) {
        self.init(
            identityProvider,
            services: IdentityServices(region: regionType, environment: environment),
            store: CognitoIdentityStore(poolID: identityProvider.identityPoolId, environment: environment)
        )
    }
}
