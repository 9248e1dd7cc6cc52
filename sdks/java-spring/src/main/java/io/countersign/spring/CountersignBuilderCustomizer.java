package io.countersign.spring;

import io.countersign.CountersignBuilder;

/** A bean of this type changes the client, for settings that are not properties, such as the HTTP client. */
@FunctionalInterface
public interface CountersignBuilderCustomizer {
  /** Called once, after the properties were applied. */
  void customize(CountersignBuilder builder);
}
