package io.countersign;

import java.time.Duration;

/** Options of one call. */
public final class ValidateOptions {
  private static final ValidateOptions NONE = new ValidateOptions(null, null, false, null, null);

  final String version;
  final String deviceId;
  final boolean fresh;
  final Duration timeout;
  final Integer retries;

  private ValidateOptions(String version, String deviceId, boolean fresh, Duration timeout, Integer retries) {
    this.version = version;
    this.deviceId = deviceId;
    this.fresh = fresh;
    this.timeout = timeout;
    this.retries = retries;
  }

  /** No options. */
  public static ValidateOptions none() {
    return NONE;
  }

  /** The app's own version, such as {@code 2.1.0}. */
  public ValidateOptions version(String version) {
    return new ValidateOptions(version, deviceId, fresh, timeout, retries);
  }

  /** Any ID for the machine. */
  public ValidateOptions deviceId(String deviceId) {
    return new ValidateOptions(version, deviceId, fresh, timeout, retries);
  }

  /** Bypasses the cache, and every request that was sent before this call. */
  public ValidateOptions fresh() {
    return new ValidateOptions(version, deviceId, true, timeout, retries);
  }

  /** For this call, including retries, instead of the client's timeout. */
  public ValidateOptions timeout(Duration timeout) {
    return new ValidateOptions(version, deviceId, fresh, Settings.timeout(timeout), retries);
  }

  /** For this call, 0 to 5, instead of the client's number of retries. */
  public ValidateOptions retries(int retries) {
    return new ValidateOptions(version, deviceId, fresh, timeout, Settings.retries(retries));
  }
}
