/** The version of this package, for the User-Agent header. */
export const sdkVersion = "0.2.0";
