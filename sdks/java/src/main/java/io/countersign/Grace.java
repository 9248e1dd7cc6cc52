package io.countersign;

import java.util.function.BooleanSupplier;

/**
 * Keeps a valid license valid for a while without a verdict. Any rejection ends that for the whole license. Time is
 * measured by the monotonic clock within a process, and by the wall clock across restarts, where going back ends it.
 */
final class Grace {
  /** A clock that goes back further than this was set back on purpose. */
  private static final long MAX_CLOCK_CORRECTION_MILLIS = 120_000;
  /** How often a license that is answered from the cache is written. */
  private static final long TOUCH_MILLIS = 60_000;
  /** The number of locks that the licenses share. */
  private static final int LOCKS = 64;

  private final long graceMillis;
  private final GraceEntries entries;
  private final Clock clock;
  /** When each license was last granted, per request, by the monotonic clock. */
  private final BoundedMap<BoundedMap<Long>> grantTimes;
  /** Rejected licenses that the store could not remove. */
  private final BoundedMap<Boolean> rejected;
  /** When the time was last stored for a cached license, by the monotonic clock. */
  private final BoundedMap<Long> touched;
  private final Object[] locks = new Object[LOCKS];

  Grace(long graceMillis, GraceEntries entries, Clock clock, int maxEntries) {
    this.graceMillis = graceMillis;
    this.entries = entries;
    this.clock = clock;
    this.grantTimes = new BoundedMap<>(maxEntries);
    this.rejected = new BoundedMap<>(maxEntries);
    this.touched = new BoundedMap<>(maxEntries);
    for (int index = 0; index < LOCKS; index++) locks[index] = new Object();
  }

  static Grace of(Settings settings, Reporter reporter) {
    GraceStore store =
        settings.graceStore != null ? settings.graceStore : new InMemoryGraceStore(settings.cacheEntries);
    GraceEntries entries = new GraceEntries(store, settings.apiKey, settings.deviceId, reporter);
    return new Grace(settings.grace.toMillis(), entries, settings.clock, settings.cacheEntries);
  }

  /** Nothing is recorded for an answer that is out of date by now. */
  void recordGrant(String licenseKey, String requestKey, ValidateResult result, BooleanSupplier isCurrent) {
    if (graceMillis == 0) return;
    String license = LicenseKeys.comparisonForm(licenseKey);
    String request = entries.nameOf(requestKey);
    synchronized (lockFor(license)) {
      if (!isCurrent.getAsBoolean()) return;
      rejected.remove(license);
      BoundedMap<Long> grants = grantTimes.get(license);
      if (grants == null) grants = new BoundedMap<>(GraceEntry.MAX_GRANTS);
      grants.put(request, clock.steadyMillis());
      grantTimes.put(license, grants);
      entries.locked(license, () -> storeGrant(license, request, result));
    }
  }

  void recordRejection(String licenseKey, BooleanSupplier isCurrent) {
    if (graceMillis == 0) return;
    String license = LicenseKeys.comparisonForm(licenseKey);
    synchronized (lockFor(license)) {
      if (!isCurrent.getAsBoolean()) return;
      grantTimes.remove(license);
      Boolean isRemoved = entries.locked(license, () -> entries.remove(license));
      if (Boolean.TRUE.equals(isRemoved)) return;
      // Without the lock, another client may write the entry again.
      entries.remove(license);
      rejected.put(license, true);
    }
  }

  /** The result to return without a verdict; null if there is none. */
  ValidateResult graceResult(String licenseKey, String requestKey) {
    if (graceMillis == 0) return null;
    String license = LicenseKeys.comparisonForm(licenseKey);
    synchronized (lockFor(license)) {
      if (mayBeRejected(license)) return null;
      return entries.locked(license, () -> storedResult(license, entries.nameOf(requestKey)));
    }
  }

  /** Whether the time should be stored for a license that was answered from the cache. */
  boolean isTouchDue(String licenseKey) {
    if (graceMillis == 0) return false;
    String license = LicenseKeys.comparisonForm(licenseKey);
    Long last = touched.get(license);
    if (last != null && clock.steadyMillis() - last < TOUCH_MILLIS) return false;
    touched.put(license, clock.steadyMillis());
    return true;
  }

  /** Stores the latest time seen, if the license has an entry: setting the clock back never extends a grace period. */
  void touch(String licenseKey) {
    if (graceMillis == 0) return;
    String license = LicenseKeys.comparisonForm(licenseKey);
    synchronized (lockFor(license)) {
      entries.locked(
          license,
          () -> {
            GraceEntry entry = entries.load(license);
            if (entry != null) saveTime(license, entry);
            return entry;
          });
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

  private GraceEntry storeGrant(String license, String request, ValidateResult result) {
    long nowMillis = clock.wallMillis();
    GraceEntry stored = entries.load(license);
    boolean isSetBack = stored != null && nowMillis < stored.seenMillis - MAX_CLOCK_CORRECTION_MILLIS;
    GraceEntry base = stored == null || isSetBack ? GraceEntry.empty(nowMillis) : stored.seenAt(nowMillis);
    GraceEntry changed = base.with(request, result, nowMillis);
    entries.save(license, changed);
    return changed;
  }

  private ValidateResult storedResult(String license, String request) {
    GraceEntry entry = entries.load(license);
    if (entry == null) return null;
    ValidateResult result = isOver(license, request, entry) ? null : entry.result(request);
    // If the entry could not be updated, setting the clock back would extend the grace period forever.
    if (result == null) saveTime(license, entry);
    else entries.save(license, entry.seenAt(clock.wallMillis()));
    return result;
  }

  private boolean isOver(String license, String request, GraceEntry entry) {
    Long grantedAtMillis = entry.grantedAtMillis(request);
    long nowMillis = clock.wallMillis();
    if (grantedAtMillis == null || nowMillis < entry.seenMillis - MAX_CLOCK_CORRECTION_MILLIS) return true;
    BoundedMap<Long> grants = grantTimes.get(license);
    Long grantedAtSteady = grants == null ? null : grants.get(request);
    long steadyAge = grantedAtSteady == null ? 0 : clock.steadyMillis() - grantedAtSteady;
    long latestMillis = Math.max(nowMillis, entry.seenMillis);
    if (Math.max(latestMillis - grantedAtMillis, steadyAge) > graceMillis) return true;
    ValidateResult result = entry.result(request);
    return result == null || result.expires().filter(end -> end.toEpochMilli() <= latestMillis).isPresent();
  }

  private void saveTime(String license, GraceEntry entry) {
    GraceEntry changed = entry.seenAt(clock.wallMillis());
    if (changed != entry) entries.save(license, changed);
  }
}
