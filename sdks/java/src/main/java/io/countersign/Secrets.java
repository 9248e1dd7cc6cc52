package io.countersign;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Secrets as they appear in settings: one, several, or several separated by commas. */
final class Secrets {
  private Secrets() {}

  static List<String> split(Collection<String> given) {
    List<String> secrets = new ArrayList<>();
    for (String text : given) {
      if (text == null) throw new IllegalArgumentException("A secret is missing. Check that its environment variable is set.");
      for (String one : text.split(",")) if (!one.isBlank()) secrets.add(one.strip());
    }
    return secrets;
  }
}
