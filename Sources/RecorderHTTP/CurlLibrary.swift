import CRecorderCurl

/// libcurl as it is loaded in this process.
package enum CurlLibrary {
    /// Its version, such as `7.88.1`.
    package static let version = String(cString: recorder_curl_version())

    /// Whether libcurl could be set up; asked for once, before the first handle.
    ///
    /// [Must come before all other calls](https://curl.se/libcurl/c/curl_global_init.html); a static property runs once
    /// and lets every other thread wait.
    static let start: CURLcode = curl_global_init(Int(CURL_GLOBAL_DEFAULT))
}
