package io.countersign;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** With it, an answer that is not signed, or not right, is refused with a {@link SignatureException}. */
public final class Signing {
  final String productId;
  final List<byte[]> secrets;
  final Duration tolerance;

  private Signing(String productId, List<byte[]> secrets, Duration tolerance) {
    this.productId = productId;
    this.secrets = secrets;
    this.tolerance = tolerance;
  }

  /** The product's id and its signing secret by hex, as the dashboard shows them. */
  public static Signing with(String productId, String secret) {
    return with(productId, List.of(secret));
  }

  /** The same during a rotation, with the old and the new secret. */
  public static Signing with(String productId, Collection<String> secrets) {
    if (productId == null || productId.isEmpty())
      throw new IllegalArgumentException("productId should be the product's id, as the dashboard shows it.");
    List<byte[]> keys = new ArrayList<>();
    for (String secret : secrets) {
      if (secret == null || !secret.matches("[0-9a-fA-F]{64}"))
        throw new IllegalArgumentException(
            "A signing secret should be 64 hexadecimal digits, as the dashboard shows it.");
      keys.add(Hex.bytes(secret));
    }
    if (keys.isEmpty()) throw new IllegalArgumentException("There should be a signing secret.");
    return new Signing(productId, keys, Duration.ofSeconds(300));
  }

  /** How far the server's clock and this one may be apart; five minutes when it is not said, an hour at most. */
  public Signing withTolerance(Duration tolerance) {
    boolean isSense =
        tolerance != null
            && tolerance.compareTo(Duration.ofSeconds(1)) >= 0
            && tolerance.compareTo(Duration.ofHours(1)) <= 0;
    if (!isSense) throw new IllegalArgumentException("tolerance should be from a second to an hour.");
    return new Signing(productId, secrets, tolerance);
  }
}
