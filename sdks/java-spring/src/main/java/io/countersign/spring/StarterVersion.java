package io.countersign.spring;

/** The version of this package, for the {@code User-Agent} header. A test compares it with the POM. */
final class StarterVersion {
  static final String VERSION = "0.2.0";

  private StarterVersion() {}
}
