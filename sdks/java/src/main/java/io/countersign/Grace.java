package io.countersign;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Keeps a valid license valid for a while if the server is unreachable. Any rejection ends that for the whole license.
 * Time is measured by the monotonic clock within a process, and by the wall clock across restarts, where going back
 * ends it.
 */
final class Grace {
  /** A clock that goes back further than this was set back on purpose. */
  private static final long MAX_CLOCK_CORRECTION_MILLIS = 120_000;
  /** The maximum number of versions and devices stored per license. */
  private static final int MAX_GRANTS = 50;
  /** The number of locks that the licenses share. */
  private static final int LOCKS = 64;

  private final long graceMillis;
  private final GraceStore store;
  private final byte[] secret;
  private final Clock clock;
  /** When each license was last granted, per request, by the monotonic clock. */
  private final BoundedMap<BoundedMap<Long>> grantTimes;
  /** Rejected licenses that the store could not remove. */
  private final BoundedMap<Boolean> rejected;
  private final Object[] locks = new Object[LOCKS];

  Grace(long graceMillis, GraceStore store, String apiKey, Clock clock, int maxEntries) {
    this.graceMillis = graceMillis;
    this.store = store == null ? new InMemoryStore(maxEntries) : store;
    this.secret = sha256("countersign.grace.v1\n" + apiKey);
    this.clock = clock;
    this.grantTimes = new BoundedMap<>(maxEntries);
    this.rejected = new BoundedMap<>(maxEntries);
    for (int index = 0; index < LOCKS; index++) locks[index] = new Object();
  }

  void recordGrant(String licenseKey, String requestKey, ValidateResult result) {
    if (graceMillis == 0) return;
    String license = normalized(licenseKey);
    String request = nameOf(requestKey);
    synchronized (lockFor(license)) {
      rejected.remove(license);
      BoundedMap<Long> grants = grantTimes.get(license);
      if (grants == null) grants = new BoundedMap<>(MAX_GRANTS);
      grants.put(request, clock.steadyMillis());
      grantTimes.put(license, grants);
      storeGrant(license, request, result);
    }
  }

  void recordRejection(String licenseKey) {
    if (graceMillis == 0) return;
    String license = normalized(licenseKey);
    synchronized (lockFor(license)) {
      grantTimes.remove(license);
      try {
        store.remove(nameOf(license));
      } catch (RuntimeException storeFailure) {
        rejected.put(license, true);
      }
    }
  }

  /** The result to return if the server is unreachable; null if there is none. */
  ValidateResult graceResult(String licenseKey, String requestKey) {
    if (graceMillis == 0) return null;
    String license = normalized(licenseKey);
    synchronized (lockFor(license)) {
      return mayBeRejected(license) ? null : storedResult(license, nameOf(requestKey));
    }
  }

  /** The number of licenses in memory. */
  int size() {
    return grantTimes.size() + rejected.size();
  }

  /** Once a rejection was evicted, only licenses that this process granted have a grace period. */
  private boolean mayBeRejected(String license) {
    return rejected.get(license) != null || (rejected.hasEvicted() && grantTimes.get(license) == null);
  }

  /** Serializes the work for one license: data read before a rejection must not be written after it. */
  private Object lockFor(String license) {
    return locks[Math.floorMod(license.hashCode(), LOCKS)];
  }

  private void storeGrant(String license, String request, ValidateResult result) {
    long nowMillis = clock.wallMillis();
    Map<String, Object> stored = load(license);
    long seenMillis = stored == null ? nowMillis : seenIn(stored);
    boolean isSetBack = nowMillis < seenMillis - MAX_CLOCK_CORRECTION_MILLIS;
    Map<String, Object> grants = new LinkedHashMap<>();
    if (stored != null && !isSetBack) grants.putAll(grantsIn(stored));
    grants.remove(request);
    if (grants.size() >= MAX_GRANTS) grants.remove(grants.keySet().iterator().next());
    Map<String, Object> grant = new LinkedHashMap<>();
    grant.put("granted_at", nowMillis);
    grant.put("request_id", result.requestId().orElse(null));
    grant.put("body", result.body());
    grants.put(request, grant);
    save(license, isSetBack ? nowMillis : Math.max(nowMillis, seenMillis), grants);
  }

  private ValidateResult storedResult(String license, String request) {
    Map<String, Object> stored = load(license);
    Object found = stored == null ? null : grantsIn(stored).get(request);
    if (!(found instanceof Map)) return null;
    Map<?, ?> grant = (Map<?, ?>) found;
    long nowMillis = clock.wallMillis();
    long grantedAtMillis = ((Number) grant.get("granted_at")).longValue();
    long seenMillis = seenIn(stored);
    if (nowMillis < seenMillis - MAX_CLOCK_CORRECTION_MILLIS) return null;
    BoundedMap<Long> grants = grantTimes.get(license);
    Long grantedAtSteady = grants == null ? null : grants.get(request);
    long steadyAge = grantedAtSteady == null ? 0 : clock.steadyMillis() - grantedAtSteady;
    if (Math.max(nowMillis - grantedAtMillis, steadyAge) > graceMillis) return null;
    String body = (String) grant.get("body");
    String requestId = (String) grant.get("request_id");
    Instant grantedAt = Instant.ofEpochMilli(grantedAtMillis);
    ValidateResult result = ValidateResult.read(body, ValidateResult.Source.GRACE, grantedAt, requestId);
    long latestMillis = Math.max(nowMillis, seenMillis);
    if (result == null || result.expires().filter(end -> end.toEpochMilli() <= latestMillis).isPresent())
      return null;
    // If the entry could not be updated, setting the clock back would extend the grace period forever.
    return save(license, latestMillis, grantsIn(stored)) ? result : null;
  }

  private static long seenIn(Map<String, Object> stored) {
    return ((Number) stored.get("seen")).longValue();
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> grantsIn(Map<String, Object> stored) {
    return (Map<String, Object>) stored.get("grants");
  }

  /** Returns whether the store saved it. */
  private boolean save(String license, long seenMillis, Map<String, Object> grants) {
    Map<String, Object> stored = new LinkedHashMap<>();
    stored.put("seen", seenMillis);
    stored.put("grants", grants);
    String text = Json.write(stored);
    try {
      store.save(nameOf(license), mac(license, text) + "." + text);
      return true;
    } catch (RuntimeException storeFailure) {
      return false;
    }
  }

  /** Null for anything this client did not write, wrote for another license, or cannot read. */
  private Map<String, Object> load(String license) {
    String text;
    try {
      text = store.load(nameOf(license));
    } catch (RuntimeException storeFailure) {
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

  /** The same for every spelling of a license key. */
  private static String normalized(String licenseKey) {
    return licenseKey.trim().toUpperCase(Locale.ROOT);
  }

  /** Reveals nothing about the license key, and differs for products that share a folder. */
  private String nameOf(String text) {
    return Hex.text(Hmac.sha256(secret, text.getBytes(UTF_8))).substring(0, 32);
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("This Java runtime has no SHA-256.", impossible);
    }
  }

  /** A map with a limited number of entries. The oldest is evicted. */
  private static final class BoundedMap<V> {
    private final Map<String, V> entries = new LinkedHashMap<>();
    private final int maxEntries;
    private boolean hasEvicted;

    BoundedMap(int maxEntries) {
      this.maxEntries = Math.max(1, maxEntries);
    }

    synchronized V get(String key) {
      return entries.get(key);
    }

    synchronized void put(String key, V value) {
      entries.remove(key);
      entries.put(key, value);
      if (entries.size() <= maxEntries) return;
      entries.remove(entries.keySet().iterator().next());
      hasEvicted = true;
    }

    synchronized void remove(String key) {
      entries.remove(key);
    }

    synchronized int size() {
      return entries.size();
    }

    synchronized boolean hasEvicted() {
      return hasEvicted;
    }
  }

  private static final class InMemoryStore implements GraceStore {
    private final BoundedMap<String> texts;

    InMemoryStore(int maxEntries) {
      texts = new BoundedMap<>(maxEntries);
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
