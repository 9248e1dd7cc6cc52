package io.countersign;

/** A request to the server, without the headers that all requests have. */
final class ApiRequest {
  final String method;
  final String path;
  /** The path without the license key, for logs and hooks. */
  final String publicPath;
  /** Never shown in errors. */
  final String licenseKey;
  /** Null for GET. */
  final String body;
  /** Null if the response need not be signed. */
  final String nonce;

  private ApiRequest(String method, String path, String publicPath, String licenseKey, String body, String nonce) {
    this.method = method;
    this.path = path;
    this.publicPath = publicPath;
    this.licenseKey = licenseKey;
    this.body = body;
    this.nonce = nonce;
  }

  static ApiRequest post(String path, String licenseKey, String body, String nonce) {
    return new ApiRequest("POST", path, path, licenseKey, body, nonce);
  }

  static ApiRequest get(String path, String publicPath, String licenseKey) {
    return new ApiRequest("GET", path, publicPath, licenseKey, null, null);
  }
}
