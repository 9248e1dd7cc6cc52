package io.countersign;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.util.Arrays;
import java.util.function.Supplier;

/**
 * Reads and writes the entries of a grace store. Each has a message authentication code, so that only a client with the
 * same API key on the same device can have written it.
 */
final class GraceEntries {
  private static final int CODE_LENGTH = 64;

  private final GraceStore store;
  private final byte[] secret;
  private final Reporter reporter;
  private final String deviceId;

  GraceEntries(GraceStore store, String apiKey, String deviceId, Reporter reporter) {
    this.store = store;
    this.secret = Sha256.of("countersign.grace.v1\n" + apiKey);
    this.deviceId = deviceId;
    this.reporter = reporter;
  }

  /** The value of the action, under the store's lock; null without the lock, or if the store failed. */
  <T> T locked(String license, Supplier<T> action) {
    try {
      GraceStore.Lock lock = store.lock(nameOf(license));
      try {
        return action.get();
      } finally {
        lock.close();
      }
    } catch (Exception failure) {
      reporter.storeFailed(failure);
      return null;
    }
  }

  /** Null for anything that this client did not write, or wrote for another license or device. */
  GraceEntry load(String license) {
    String text = store.load(nameOf(license));
    if (text == null || text.length() <= CODE_LENGTH) return null;
    String content = text.substring(CODE_LENGTH + 1);
    byte[] code = text.substring(0, CODE_LENGTH).getBytes(UTF_8);
    return MessageDigest.isEqual(code, codeOf(license, content).getBytes(UTF_8)) ? GraceEntry.read(content) : null;
  }

  void save(String license, GraceEntry entry) {
    String content = entry.text();
    store.save(nameOf(license), codeOf(license, content) + "." + content);
  }

  /** Returns whether the store removed it. */
  boolean remove(String license) {
    try {
      store.remove(nameOf(license));
      return true;
    } catch (Exception failure) {
      reporter.storeFailed(failure);
      return false;
    }
  }

  /** Reveals nothing about the license key, and differs for products that share a folder. */
  String nameOf(String text) {
    return Hex.text(Hmac.sha256(secret, text.getBytes(UTF_8))).substring(0, 32);
  }

  private String codeOf(String license, String content) {
    String device = deviceId != null ? deviceId : store.deviceId().orElse(null);
    String head = Json.write(Arrays.asList(license, device));
    return Hex.text(Hmac.sha256(secret, (head + "\n" + content).getBytes(UTF_8)));
  }
}
