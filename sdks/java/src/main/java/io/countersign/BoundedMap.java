package io.countersign;

import java.util.LinkedHashMap;
import java.util.Map;

/** A map with a limited number of entries. The oldest is evicted. */
final class BoundedMap<V> {
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
