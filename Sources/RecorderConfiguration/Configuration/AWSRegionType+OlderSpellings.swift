/// The names of the AWS SDK before version 2.5.
extension AWSRegionType {
    /// The older spelling of `Unknown`.
    @available(*, deprecated, renamed: "Unknown")
    public static let unknown = AWSRegionType.Unknown
    /// The older spelling of `USEast1`.
    @available(*, deprecated, renamed: "USEast1")
    public static let usEast1 = AWSRegionType.USEast1
    /// The older spelling of `USEast2`.
    @available(*, deprecated, renamed: "USEast2")
    public static let usEast2 = AWSRegionType.USEast2
    /// The older spelling of `USWest1`.
    @available(*, deprecated, renamed: "USWest1")
    public static let usWest1 = AWSRegionType.USWest1
    /// The older spelling of `USWest2`.
    @available(*, deprecated, renamed: "USWest2")
    public static let usWest2 = AWSRegionType.USWest2
    /// The older spelling of `EUWest1`.
    @available(*, deprecated, renamed: "EUWest1")
    public static let euWest1 = AWSRegionType.EUWest1
    /// The older spelling of `EUWest2`.
    @available(*, deprecated, renamed: "EUWest2")
    public static let euWest2 = AWSRegionType.EUWest2
    /// The older spelling of `EUCentral1`.
    @available(*, deprecated, renamed: "EUCentral1")
    public static let euCentral1 = AWSRegionType.EUCentral1
    /// The older spelling of `APSoutheast1`.
    @available(*, deprecated, renamed: "APSoutheast1")
    public static let apSoutheast1 = AWSRegionType.APSoutheast1
    /// The older spelling of `APNortheast1`.
    @available(*, deprecated, renamed: "APNortheast1")
    public static let apNortheast1 = AWSRegionType.APNortheast1
    /// The older spelling of `APNortheast2`.
    @available(*, deprecated, renamed: "APNortheast2")
    public static let apNortheast2 = AWSRegionType.APNortheast2
    /// The older spelling of `APSoutheast2`.
    @available(*, deprecated, renamed: "APSoutheast2")
    public static let apSoutheast2 = AWSRegionType.APSoutheast2
    /// The older spelling of `APSouth1`.
    @available(*, deprecated, renamed: "APSouth1")
    public static let apSouth1 = AWSRegionType.APSouth1
    /// The older spelling of `SAEast1`.
    @available(*, deprecated, renamed: "SAEast1")
    public static let saEast1 = AWSRegionType.SAEast1
    /// The older spelling of `CNNorth1`.
    @available(*, deprecated, renamed: "CNNorth1")
    public static let cnNorth1 = AWSRegionType.CNNorth1
    /// The older spelling of `CACentral1`.
    @available(*, deprecated, renamed: "CACentral1")
    public static let caCentral1 = AWSRegionType.CACentral1
    /// The older spelling of `USGovWest1`.
    @available(*, deprecated, renamed: "USGovWest1")
    public static let usGovWest1 = AWSRegionType.USGovWest1
    /// The older spelling of `CNNorthWest1`.
    @available(*, deprecated, renamed: "CNNorthWest1")
    public static let cnNorthWest1 = AWSRegionType.CNNorthWest1
    /// The older spelling of `EUWest3`.
    @available(*, deprecated, renamed: "EUWest3")
    public static let euWest3 = AWSRegionType.EUWest3
    /// The older spelling of `USGovEast1`.
    @available(*, deprecated, renamed: "USGovEast1")
    public static let usGovEast1 = AWSRegionType.USGovEast1
    /// The older spelling of `EUNorth1`.
    @available(*, deprecated, renamed: "EUNorth1")
    public static let euNorth1 = AWSRegionType.EUNorth1
    /// The older spelling of `APEast1`.
    @available(*, deprecated, renamed: "APEast1")
    public static let apEast1 = AWSRegionType.APEast1
    /// The older spelling of `MESouth1`.
    @available(*, deprecated, renamed: "MESouth1")
    public static let meSouth1 = AWSRegionType.MESouth1
    /// The older spelling of `AFSouth1`.
    @available(*, deprecated, renamed: "AFSouth1")
    public static let afSouth1 = AWSRegionType.AFSouth1
    /// The older spelling of `EUSouth1`.
    @available(*, deprecated, renamed: "EUSouth1")
    public static let euSouth1 = AWSRegionType.EUSouth1
}
