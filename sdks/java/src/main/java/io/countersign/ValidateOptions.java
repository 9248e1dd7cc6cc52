package io.countersign;

/** What one validation is told beside the key. */
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

  /** Nothing beside the key. */
  public static ValidateOptions none() {
    return NONE;
  }

  /** The app's own version, such as {@code 2.1.0}. */
  public ValidateOptions version(String version) {
    return new ValidateOptions(version, deviceId, fresh);
  }

  /** Any id of the machine. */
  public ValidateOptions deviceId(String deviceId) {
    return new ValidateOptions(version, deviceId, fresh);
  }

  /** Asks the server even if the answer is remembered. */
  public ValidateOptions fresh() {
    return new ValidateOptions(version, deviceId, true);
  }
}
