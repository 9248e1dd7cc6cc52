package io.countersign;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Lets a license that was valid go on being valid for a while when the server cannot be reached. Whatever was asked when
 * it was refused ends that for all of the license. Time is counted by the clock that never goes back while the process
 * lives, and by the wall's over a restart, where going back ends it.
 */
final class Grace {
  /** So much may a clock be corrected backwards without anybody meaning harm. */
  private static final long CORRECTION_MILLIS = 120_000;
  /** Of so many versions and devices of one license it is kept that they were granted. */
  private static final int MOST_GRANTS = 50;
  /** So many licenses can be worked on at once. */
  private static final int TURNS = 64;

  private final long graceMillis;
  private final GraceStore store;
  private final byte[] secret;
  private final Clock clock;
  /** When each license was last granted to whom. */
  private final Newest<Newest<Long>> granted;
  /** Those that were refused while the store could not remove them. */
  private final Newest<Boolean> refused;
  private final Object[] turns = new Object[TURNS];

  Grace(long graceMillis, GraceStore store, String apiKey, Clock clock, int most) {
    this.graceMillis = graceMillis;
    this.store = store == null ? new InMemory(most) : store;
    this.secret = sha256("countersign.grace.v1\n" + apiKey);
    this.clock = clock;
    this.granted = new Newest<>(most);
    this.refused = new Newest<>(most);
    for (int turn = 0; turn < TURNS; turn++) turns[turn] = new Object();
  }

  void granted(String licenseKey, String asked, ValidateResult result) {
    if (graceMillis == 0) return;
    String license = formOf(licenseKey);
    String question = nameOf(asked);
    synchronized (turnOf(license)) {
      refused.remove(license);
      Newest<Long> grants = granted.get(license);
      if (grants == null) grants = new Newest<>(MOST_GRANTS);
      grants.put(question, clock.steadyMillis());
      granted.put(license, grants);
      keep(license, question, result);
    }
  }

  void refused(String licenseKey) {
    if (graceMillis == 0) return;
    String license = formOf(licenseKey);
    synchronized (turnOf(license)) {
      granted.remove(license);
      try {
        store.remove(nameOf(license));
      } catch (RuntimeException noStore) {
        refused.put(license, true);
      }
    }
  }

  /** What may still be said although nobody can be asked; null for nothing. */
  ValidateResult lastWord(String licenseKey, String asked) {
    if (graceMillis == 0) return null;
    String license = formOf(licenseKey);
    synchronized (turnOf(license)) {
      return wasRefused(license) ? null : lastKept(license, nameOf(asked));
    }
  }

  /** Of how many licenses something is remembered here. */
  int size() {
    return granted.size() + refused.size();
  }

  /** Once a refusal made room, only what was granted here since can be told from what was refused. */
  private boolean wasRefused(String license) {
    return refused.get(license) != null || (refused.hasForgotten() && granted.get(license) == null);
  }

  /** One after the other for each license: what was read before a refusal must not be written after it. */
  private Object turnOf(String license) {
    return turns[Math.floorMod(license.hashCode(), TURNS)];
  }

  private void keep(String license, String question, ValidateResult result) {
    long nowMillis = clock.wallMillis();
    Map<String, Object> kept = load(license);
    long seenMillis = kept == null ? nowMillis : seenIn(kept);
    boolean isSetBack = nowMillis < seenMillis - CORRECTION_MILLIS;
    Map<String, Object> grants = new LinkedHashMap<>();
    if (kept != null && !isSetBack) grants.putAll(grantsIn(kept));
    grants.remove(question);
    if (grants.size() >= MOST_GRANTS) grants.remove(grants.keySet().iterator().next());
    Map<String, Object> grant = new LinkedHashMap<>();
    grant.put("said", nowMillis);
    grant.put("request_id", result.requestId().orElse(null));
    grant.put("body", result.body());
    grants.put(question, grant);
    save(license, isSetBack ? nowMillis : Math.max(nowMillis, seenMillis), grants);
  }

  private ValidateResult lastKept(String license, String question) {
    Map<String, Object> kept = load(license);
    Object found = kept == null ? null : grantsIn(kept).get(question);
    if (!(found instanceof Map)) return null;
    Map<?, ?> grant = (Map<?, ?>) found;
    long nowMillis = clock.wallMillis();
    long saidMillis = ((Number) grant.get("said")).longValue();
    long seenMillis = seenIn(kept);
    if (nowMillis < seenMillis - CORRECTION_MILLIS) return null;
    Newest<Long> grants = granted.get(license);
    Long saidSteady = grants == null ? null : grants.get(question);
    long steadyAge = saidSteady == null ? 0 : clock.steadyMillis() - saidSteady;
    if (Math.max(nowMillis - saidMillis, steadyAge) > graceMillis) return null;
    String body = (String) grant.get("body");
    String requestId = (String) grant.get("request_id");
    Instant saidAt = Instant.ofEpochMilli(saidMillis);
    ValidateResult result = ValidateResult.read(body, ValidateResult.Source.GRACE, saidAt, requestId);
    long latestMillis = Math.max(nowMillis, seenMillis);
    if (result == null || result.expires().filter(end -> end.toEpochMilli() <= latestMillis).isPresent())
      return null;
    // What cannot be written down again would be good for ever to whoever sets the clock back.
    return save(license, latestMillis, grantsIn(kept)) ? result : null;
  }

  private static long seenIn(Map<String, Object> kept) {
    return ((Number) kept.get("seen")).longValue();
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> grantsIn(Map<String, Object> kept) {
    return (Map<String, Object>) kept.get("grants");
  }

  /** Whether the store has it. */
  private boolean save(String license, long seenMillis, Map<String, Object> grants) {
    Map<String, Object> kept = new LinkedHashMap<>();
    kept.put("seen", seenMillis);
    kept.put("grants", grants);
    String text = Json.write(kept);
    try {
      store.save(nameOf(license), mac(license, text) + "." + text);
      return true;
    } catch (RuntimeException noStore) {
      return false;
    }
  }

  /** Null for what this client did not write, wrote for another license, or cannot read. */
  private Map<String, Object> load(String license) {
    String text;
    try {
      text = store.load(nameOf(license));
    } catch (RuntimeException noStore) {
      return null;
    }
    if (text == null || text.length() < 65) return null;
    String content = text.substring(65);
    boolean isOurs =
        MessageDigest.isEqual(text.substring(0, 64).getBytes(UTF_8), mac(license, content).getBytes(UTF_8));
    return isOurs ? Json.object(content) : null;
  }

  private String mac(String license, String text) {
    return Hex.text(Hmac.sha256(secret, (license + "\n" + text).getBytes(UTF_8)));
  }

  /** The same for the same license, however it was typed. */
  private static String formOf(String licenseKey) {
    return licenseKey.trim().toUpperCase(Locale.ROOT);
  }

  /** Tells nothing about the license key to who only sees it, and differs for products that share a folder. */
  private String nameOf(String text) {
    return Hex.text(Hmac.sha256(secret, text.getBytes(UTF_8))).substring(0, 32);
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
