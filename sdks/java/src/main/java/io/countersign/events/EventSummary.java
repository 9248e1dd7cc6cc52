// Generated from the contract by sdks/events/generate.ts. Do not edit.
package io.countersign.events;

import java.time.Instant;

/** Part of an event. */
public final class EventSummary {
  private final EventMembers members;

  EventSummary(EventMembers members) {
    this.members = members;
  }

  /** The number of rejected requests, or of registered IP addresses. */
  public long count() {
    return members.wholeNumber("count").orElse(0L);
  }

  /** The number of different IP addresses. */
  public long ipCount() {
    return members.wholeNumber("ip_count").orElse(0L);
  }

  /** False if there were more IP addresses than {@code ip_count}. */
  public boolean ipCountIsExact() {
    return members.bool("ip_count_is_exact").orElse(false);
  }

  /** The member {@code first_at}. */
  public Instant firstAt() {
    return members.time("first_at").orElse(Instant.EPOCH);
  }

  /** The member {@code last_at}. */
  public Instant lastAt() {
    return members.time("last_at").orElse(Instant.EPOCH);
  }

  @Override
  public String toString() {
    return "EventSummary" + members.ids();
  }
}
