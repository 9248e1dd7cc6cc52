package io.countersign;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How much of the product's daily limit is left. */
public final class RateLimit {
  private static final Pattern ITEM = Pattern.compile("\\s*\"?([^\";,]+)\"?\\s*((?:;[^;,]*)*)");
  private static final Pattern PARAMETER = Pattern.compile(";\\s*([a-z]+)\\s*=\\s*([0-9]{1,15})\\s*(?=;|$)");

  private final long limit;
  private final long remaining;
  private final Duration reset;

  private RateLimit(long limit, long remaining, Duration reset) {
    this.limit = limit;
    this.remaining = remaining;
    this.reset = reset;
  }

  /** From the headers {@code RateLimit-Policy} and {@code RateLimit}; null if they cannot be read. */
  static RateLimit read(String policies, String state) {
    if (policies == null || state == null) return null;
    Matcher first = ITEM.matcher(state.split(",", 2)[0]);
    if (!first.matches()) return null;
    Map<String, Long> current = parameters(first.group(2));
    for (String one : policies.split(",")) {
      Matcher policy = ITEM.matcher(one);
      if (!policy.matches() || !policy.group(1).equals(first.group(1))) continue;
      Long limit = parameters(policy.group(2)).get("q");
      Long remaining = current.get("r");
      Long seconds = current.get("t");
      if (limit == null || remaining == null || seconds == null) return null;
      return new RateLimit(limit, remaining, Duration.ofSeconds(seconds));
    }
    return null;
  }

  private static Map<String, Long> parameters(String text) {
    Map<String, Long> parameters = new LinkedHashMap<>();
    Matcher match = PARAMETER.matcher(text);
    while (match.find()) parameters.put(match.group(1), Long.valueOf(match.group(2)));
    return parameters;
  }

  /** The number of requests a day. */
  public long limit() {
    return limit;
  }

  /** The number of requests left today. */
  public long remaining() {
    return remaining;
  }

  /** How long it takes until the limit resets. */
  public Duration reset() {
    return reset;
  }

  @Override
  public String toString() {
    return "RateLimit[limit=" + limit + ", remaining=" + remaining + ", reset=" + reset + "]";
  }
}
