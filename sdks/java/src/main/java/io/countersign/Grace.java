package io.countersign;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Lets a license that was valid go on being valid for a while when the server cannot be reached. Time is counted by the
 * clock that never goes back while the process lives, and by the wall's over a restart, where going back ends it.
 */
final class Grace {
  /** So much may a clock be corrected backwards without anybody meaning harm. */
  private static final long CORRECTION_MILLIS = 120_000;

  private final long graceMillis;
  private final GraceStore store;
  private final byte[] secret;
  private final Clock clock;
  /** When each license was last granted. */
  private final Newest<Long> granted;
  /** Those that were refused while the store could not remove them. */
  private final Newest<Boolean> refused;

  Grace(long graceMillis, GraceStore store, String apiKey, Clock clock, int most) {
    this.graceMillis = graceMillis;
    this.store = store == null ? new InMemory(most) : store;
    this.secret = sha256("countersign.grace.v1\n" + apiKey);
    this.clock = clock;
    this.granted = new Newest<>(most);
    this.refused = new Newest<>(most);
  }

  void granted(String key, ValidateResult result) {
    if (graceMillis == 0) return;
    long nowMillis = clock.wallMillis();
    refused.remove(key);
    granted.put(key, clock.steadyMillis());
    save(key, result.body(), result.requestId().orElse(null), nowMillis, nowMillis);
  }

  void refused(String key) {
    if (graceMillis == 0) return;
    granted.remove(key);
    try {
      store.remove(nameOf(key));
    } catch (RuntimeException noStore) {
      refused.put(key, true);
    }
  }

  /** What may still be said although nobody can be asked; null for nothing. */
  ValidateResult lastWord(String key) {
    if (graceMillis == 0 || wasRefused(key)) return null;
    Map<String, Object> kept = open(key, load(key));
    if (kept == null) return null;
    long nowMillis = clock.wallMillis();
    long saidMillis = ((Number) kept.get("said")).longValue();
    long seenMillis = ((Number) kept.get("seen")).longValue();
    if (nowMillis < seenMillis - CORRECTION_MILLIS) return null;
    Long saidSteady = granted.get(key);
    long steadyAge = saidSteady == null ? 0 : clock.steadyMillis() - saidSteady;
    if (Math.max(nowMillis - saidMillis, steadyAge) > graceMillis) return null;
    String body = (String) kept.get("body");
    String requestId = (String) kept.get("request_id");
    Instant saidAt = Instant.ofEpochMilli(saidMillis);
    ValidateResult result = ValidateResult.read(body, ValidateResult.Source.GRACE, saidAt, requestId);
    long latestMillis = Math.max(nowMillis, seenMillis);
    if (result == null || result.expires().filter(end -> end.toEpochMilli() <= latestMillis).isPresent())
      return null;
    // What cannot be written down again would be good for ever to whoever sets the clock back.
    return save(key, body, requestId, saidMillis, latestMillis) ? result : null;
  }

  /** Of how many licenses something is remembered here. */
  int size() {
    return granted.size() + refused.size();
  }

  /** Once a refusal made room, only what was granted here since can be told from what was refused. */
  private boolean wasRefused(String key) {
    return refused.get(key) != null || (refused.hasForgotten() && granted.get(key) == null);
  }

  /** Whether the store has it. */
  private boolean save(String key, String body, String requestId, long saidMillis, long seenMillis) {
    Map<String, Object> kept = new LinkedHashMap<>();
    kept.put("said", saidMillis);
    kept.put("seen", seenMillis);
    kept.put("request_id", requestId);
    kept.put("body", body);
    String text = Json.write(kept);
    try {
      store.save(nameOf(key), mac(key, text) + "." + text);
      return true;
    } catch (RuntimeException noStore) {
      return false;
    }
  }

  private String load(String key) {
    try {
      return store.load(nameOf(key));
    } catch (RuntimeException noStore) {
      return null;
    }
  }

  /** Null for what this client did not write, or wrote for another license. */
  private Map<String, Object> open(String key, String text) {
    if (text == null || text.length() < 65) return null;
    String content = text.substring(65);
    boolean isOurs = MessageDigest.isEqual(text.substring(0, 64).getBytes(UTF_8), mac(key, content).getBytes(UTF_8));
    return isOurs ? Json.object(content) : null;
  }

  private String mac(String key, String text) {
    return Hex.text(Hmac.sha256(secret, (key + "\n" + text).getBytes(UTF_8)));
  }

  /** License keys are nobody's business who only sees the files' names. */
  private static String nameOf(String key) {
    return Hex.text(sha256(key)).substring(0, 32);
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("Every Java has SHA-256.", impossible);
    }
  }

  /** Remembers so many. The oldest makes room. */
  private static final class Newest<V> {
    private final Map<String, V> entries = new LinkedHashMap<>();
    private final int most;
    private boolean hasForgotten;

    Newest(int most) {
      this.most = Math.max(1, most);
    }

    synchronized V get(String key) {
      return entries.get(key);
    }

    synchronized void put(String key, V value) {
      entries.remove(key);
      entries.put(key, value);
      if (entries.size() <= most) return;
      entries.remove(entries.keySet().iterator().next());
      hasForgotten = true;
    }

    synchronized void remove(String key) {
      entries.remove(key);
    }

    synchronized int size() {
      return entries.size();
    }

    synchronized boolean hasForgotten() {
      return hasForgotten;
    }
  }

  private static final class InMemory implements GraceStore {
    private final Newest<String> texts;

    InMemory(int most) {
      texts = new Newest<>(most);
    }

    @Override
    public String load(String name) {
      return texts.get(name);
    }

    @Override
    public void save(String name, String text) {
      texts.put(name, text);
    }

    @Override
    public void remove(String name) {
      texts.remove(name);
    }
  }
}
