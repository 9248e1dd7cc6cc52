package io.countersign;

/** The version of this SDK, as in the pom.xml. */
final class SdkVersion {
  static final String VERSION = "0.2.0";

  private SdkVersion() {}

  static String userAgent(String suffix) {
    return "countersign-java/" + VERSION + (suffix == null ? "" : " " + suffix);
  }
}
