package io.countersign;

/** Options of one validation. */
public final class ValidateOptions {
  private static final ValidateOptions NONE = new ValidateOptions(null, null, false);

  final String version;
  final String deviceId;
  final boolean fresh;

  private ValidateOptions(String version, String deviceId, boolean fresh) {
    this.version = version;
    this.deviceId = deviceId;
    this.fresh = fresh;
  }

  /** No options. */
  public static ValidateOptions none() {
    return NONE;
  }

  /** The app's own version, such as {@code 2.1.0}. */
  public ValidateOptions version(String version) {
    return new ValidateOptions(version, deviceId, fresh);
  }

  /** Any ID for the machine. */
  public ValidateOptions deviceId(String deviceId) {
    return new ValidateOptions(version, deviceId, fresh);
  }

  /** Bypasses the cache. */
  public ValidateOptions fresh() {
    return new ValidateOptions(version, deviceId, true);
  }
}
