import Foundation

extension AWSCognitoCredentialsProvider {
    /// A provider of a guest's keys, by the enhanced flow.
    ///
    /// - Parameters:
    ///   - regionType: The region that the pool is in.
    ///   - identityPoolId: The pool's id, such as `us-east-1:` and a UUID.
    public convenience init(regionType: AWSRegionType, identityPoolId: String) {
        self.init(regionType: regionType, identityPoolId: identityPoolId, identityProviderManager: nil)
    }

    /// A provider of the keys of whoever the manager says is logged in, by the enhanced flow.
    ///
    /// - Parameters:
    ///   - regionType: The region that the pool is in.
    ///   - identityPoolId: The pool's id, such as `us-east-1:` and a UUID.
    ///   - identityProviderManager: Gives the logins; nil for a guest.
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

    /// A provider of the keys of an identity that the helper gives, by the enhanced flow.
    ///
    /// - Parameters:
    ///   - regionType: The region that the pool is in.
    ///   - identityProvider: Gives the identity; one of your own for identities that your backend vouches for.
    public convenience init(
        regionType: AWSRegionType,
        identityProvider: any AWSCognitoCredentialsProviderHelperProtocol
    ) {
        self.init(identityProvider, place: CognitoPlace(regionType))
    }

    /// A provider of the keys of an identity that the helper gives, by the classic flow; by the enhanced one if both roles
    /// are nil.
    ///
    /// - Parameters:
    ///   - regionType: The region of the pool, and of the STS endpoint.
    ///   - unauthRoleArn: The role for guests; without it they get an error.
    ///   - authRoleArn: The role for who is logged in; without it they get an error.
    ///   - identityProvider: Gives the identity; its `token()` must be a token of Cognito.
    public convenience init(
        regionType: AWSRegionType,
        unauthRoleArn: String?,
        authRoleArn: String?,
        identityProvider: any AWSCognitoCredentialsProviderHelperProtocol
    ) {
        self.init(
            identityProvider,
            roles: CognitoSession.Roles(unauthenticated: unauthRoleArn, authenticated: authRoleArn),
            place: CognitoPlace(regionType)
        )
    }

    /// A provider of the keys of whoever the manager says is logged in, by the classic flow.
    ///
    /// - Parameters:
    ///   - regionType: The region of the pool, and of the STS endpoint.
    ///   - identityPoolId: The pool's id, such as `us-east-1:` and a UUID.
    ///   - unauthRoleArn: The role for guests; without it they get an error.
    ///   - authRoleArn: The role for who is logged in; without it they get an error.
    ///   - identityProviderManager: Gives the logins; nil for a guest.
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

    /// A provider of a guest's keys, by the enhanced flow, with settings of its own for the calls to Cognito.
    ///
    /// - Parameters:
    ///   - regionType: Has no effect; the configuration's region counts.
    ///   - identityPoolId: The pool's id, such as `us-east-1:` and a UUID.
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
        self.init(helper, place: CognitoPlace(regionType, identityPoolConfiguration))
    }

    /// A provider in an environment of the caller's choice; the classic flow where roles are given.
    package convenience init(
        regionType: AWSRegionType,
        identityPoolId: String,
        identityProviderManager: (any AWSIdentityProviderManager)? = nil,
        unauthRoleArn: String? = nil,
        authRoleArn: String? = nil,
        environment: [String: String],
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        let place = CognitoPlace(regionType, environment: environment)
        let isClassic = unauthRoleArn != nil || authRoleArn != nil
        let helper = AWSCognitoCredentialsProviderHelper(
            identityPoolId: identityPoolId,
            useEnhancedFlow: !isClassic,
            identityProviderManager: identityProviderManager,
            place: place
        )
        self.init(
            helper,
            roles: CognitoSession.Roles(unauthenticated: unauthRoleArn, authenticated: authRoleArn),
            place: place,
            memory: CognitoMemory(poolID: identityPoolId, environment: environment, now: now)
        )
    }

    /// A provider over a helper, in an environment of the caller's choice.
    package convenience init(
        regionType: AWSRegionType,
        identityProvider: any AWSCognitoCredentialsProviderHelperProtocol,
        environment: [String: String]
    ) {
        self.init(
            identityProvider,
            place: CognitoPlace(regionType, environment: environment),
            memory: CognitoMemory(poolID: identityProvider.identityPoolId, environment: environment)
        )
    }
}
