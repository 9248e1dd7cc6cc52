package io.countersign;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

/** If set, a response without a valid signature is rejected with a {@link SignatureException}. */
public final class Signing {
  final String productId;
  final List<byte[]> secrets;
  final Duration tolerance;

  private Signing(String productId, List<byte[]> secrets, Duration tolerance) {
    this.productId = productId;
    this.secrets = secrets;
    this.tolerance = tolerance;
  }

  /** The product's ID and its signing secret in hex, as shown in the dashboard; several are separated by commas. */
  public static Signing with(String productId, String secret) {
    return with(productId, Collections.singleton(secret));
  }

  /** The product's ID with several secrets: during a rotation, the old and the new one. */
  public static Signing with(String productId, Collection<String> secrets) {
    if (productId == null || productId.isEmpty())
      throw new IllegalArgumentException("productId must be the product's ID, as shown in the dashboard.");
    List<byte[]> keys = new ArrayList<>();
    for (String secret : Secrets.split(secrets)) {
      if (!secret.matches("[0-9a-fA-F]{64}"))
        throw new IllegalArgumentException(
            "A signing secret must be 64 hexadecimal digits, as shown in the dashboard.");
      keys.add(Hex.bytes(secret));
    }
    if (keys.isEmpty()) throw new IllegalArgumentException("At least one signing secret is required.");
    return new Signing(productId, keys, Duration.ofSeconds(300));
  }

  /**
   * How far the server's clock and this one can differ until that is logged: at most an hour, by default five minutes.
   * A difference of more than a day is rejected.
   */
  public Signing withTolerance(Duration tolerance) {
    boolean isValid =
        tolerance != null
            && tolerance.compareTo(Duration.ofSeconds(1)) >= 0
            && tolerance.compareTo(Duration.ofHours(1)) <= 0;
    if (!isValid) throw new IllegalArgumentException("tolerance must be from one second to one hour.");
    return new Signing(productId, secrets, tolerance);
  }

  /** Without the secrets. */
  @Override
  public String toString() {
    return "Signing[productId=" + productId + ", secrets=" + secrets.size() + ", tolerance=" + tolerance + "]";
  }
}
