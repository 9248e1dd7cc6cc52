package io.countersign;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URLEncoder;
import java.util.Comparator;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Removes the keys that were sent, in every form in which a server may write them, from what an error shows. */
final class Redaction {
  private static final Comparator<String> LONGEST_FIRST =
      Comparator.comparing(String::length).reversed().thenComparing(Comparator.naturalOrder());

  private final Pattern pattern;

  Redaction(String apiKey, String licenseKey) {
    // A shorter form can be part of a longer one.
    Set<String> forms = new TreeSet<>(LONGEST_FIRST);
    for (String key : new String[] {apiKey, licenseKey, LicenseKeys.trimmed(licenseKey)}) {
      String json = Json.write(key);
      String inJson = json.substring(1, json.length() - 1);
      forms.add(key);
      forms.add(inJson);
      forms.add(ascii(inJson));
      forms.add(URLEncoder.encode(key, UTF_8).replace("+", "%20"));
      // Its bytes as characters, as headers are read.
      forms.add(new String(key.getBytes(UTF_8), ISO_8859_1));
    }
    forms.remove("");
    pattern =
        Pattern.compile(
            forms.stream().map(Pattern::quote).collect(Collectors.joining("|")),
            Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE);
  }

  String text(String text) {
    return pattern.matcher(text).replaceAll("[redacted]");
  }

  /** The failure as the cause of an exception; null if it shows a key, because the server sent the request back. */
  Throwable cause(Throwable failure) {
    StringWriter shown = new StringWriter();
    failure.printStackTrace(new PrintWriter(shown, true));
    return pattern.matcher(shown.toString()).find() ? null : failure;
  }

  private static String ascii(String text) {
    StringBuilder out = new StringBuilder();
    for (char one : text.toCharArray()) {
      if (one >= ' ' && one <= '~') out.append(one);
      else out.append(String.format("\\u%04x", (int) one));
    }
    return out.toString();
  }
}
