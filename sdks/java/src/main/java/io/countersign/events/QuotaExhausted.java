// Generated from the contract by sdks/events/generate.ts. Do not edit.
package io.countersign.events;

import io.countersign.WebhookEvent;
import java.time.Instant;
import java.util.Optional;

/** A product has used its daily limit: {@code quota.exhausted}. */
public final class QuotaExhausted {
  /** The type of these events. */
  public static final String TYPE = "quota.exhausted";

  private final EventMembers members;

  private QuotaExhausted(EventMembers members) {
    this.members = members;
  }

  /** Empty if the event is of another type. */
  public static Optional<QuotaExhausted> from(WebhookEvent event) {
    return event.type().equals(TYPE)
        ? Optional.of(new QuotaExhausted(new EventMembers(event.data())))
        : Optional.empty();
  }

  /** The member {@code organization_id}. */
  public String organizationId() {
    return members.text("organization_id").orElse("");
  }

  /** The member {@code product_id}. */
  public String productId() {
    return members.text("product_id").orElse("");
  }

  /** The member {@code limit}. */
  public long limit() {
    return members.wholeNumber("limit").orElse(0L);
  }

  /** The member {@code used}. */
  public long used() {
    return members.wholeNumber("used").orElse(0L);
  }

  /** The member {@code resets_at}. */
  public Instant resetsAt() {
    return members.time("resets_at").orElse(Instant.EPOCH);
  }

  /** Present if the operator triggered the event as a test. */
  public boolean test() {
    return members.bool("test").orElse(false);
  }

  @Override
  public String toString() {
    return "QuotaExhausted" + members.ids();
  }
}
