package io.countersign.spring;

import jakarta.servlet.http.HttpServletRequest;

/**
 * What a request says about its license. A bean of this type replaces the defaults. If a method throws, the request is not
 * let in.
 */
public interface LicenseRequestReader {
  /** The license key, by default of the header {@code X-License-Key}. Null if there is none. */
  default String key(HttpServletRequest request) {
    return LicenseKeys.in(request, CountersignProperties.DEFAULT_HEADER);
  }

  /** The licensed app's version. By default null, for {@code countersign.version}. */
  default String version(HttpServletRequest request) {
    return null;
  }

  /** Any ID for the caller's machine. By default null, for {@code countersign.device-id}. */
  default String deviceId(HttpServletRequest request) {
    return null;
  }

  /** The caller's IP address, for the limit of unknown keys. */
  default String address(HttpServletRequest request) {
    return request.getRemoteAddr();
  }
}
