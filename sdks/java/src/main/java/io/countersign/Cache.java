package io.countersign;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/** Caches a limited number of values, each for its own time by a monotonic clock. The oldest is evicted. */
final class Cache<V> {
  private static final class Entry<V> {
    final V value;
    final long untilMillis;

    Entry(V value, long untilMillis) {
      this.value = value;
      this.untilMillis = untilMillis;
    }
  }

  private final Map<String, Entry<V>> entries = new LinkedHashMap<>();
  private final int maxEntries;
  private final LongSupplier steadyMillis;

  Cache(int maxEntries, LongSupplier steadyMillis) {
    this.maxEntries = maxEntries;
    this.steadyMillis = steadyMillis;
  }

  synchronized V get(String key) {
    Entry<V> entry = entries.get(key);
    if (entry == null) return null;
    if (entry.untilMillis > steadyMillis.getAsLong()) return entry.value;
    entries.remove(key);
    return null;
  }

  synchronized void set(String key, V value, long forMillis) {
    entries.remove(key);
    if (forMillis <= 0 || maxEntries <= 0) return;
    entries.put(key, new Entry<>(value, steadyMillis.getAsLong() + forMillis));
    if (entries.size() > maxEntries) entries.remove(entries.keySet().iterator().next());
  }

  synchronized void remove(String key) {
    entries.remove(key);
  }

  synchronized void clear() {
    entries.clear();
  }
}
