// Generated from the contract by sdks/events/generate.ts. Do not edit.
package io.countersign.events;

import java.time.Instant;
import java.util.Optional;

/** Part of an event. */
public final class ApprovedTransfer {
  private final EventMembers members;

  ApprovedTransfer(EventMembers members) {
    this.members = members;
  }

  /** The member {@code id}. */
  public String id() {
    return members.text("id").orElse("");
  }

  /** The customer who held the license when the transfer was requested. */
  public TransferHolder fromHolder() {
    return members.object("from", TransferHolder::new).orElseGet(() -> new TransferHolder(EventMembers.NONE));
  }

  /** The recipient, as specified by the customer. */
  public TransferHolder toHolder() {
    return members.object("to", TransferHolder::new).orElseGet(() -> new TransferHolder(EventMembers.NONE));
  }

  /** The customer's message. */
  public Optional<String> message() {
    return members.text("message");
  }

  /**
   * Why it was not approved automatically: the product's setting, a creation or transfer within {@code
   * transfer_cooldown_days}, or IP blocks for the recipient. Empty if it was.
   */
  public Optional<String> reviewReason() {
    return members.text("review_reason");
  }

  /** The member {@code requested_at}. */
  public Instant requestedAt() {
    return members.time("requested_at").orElse(Instant.EPOCH);
  }

  /** The member {@code state}. */
  public String state() {
    return members.text("state").orElse("");
  }

  /** The member {@code decided_at}. */
  public Instant decidedAt() {
    return members.time("decided_at").orElse(Instant.EPOCH);
  }

  /**
   * {@code system}: approved automatically, or cancelled because the license was deleted or given to another
   * customer.
   */
  public String decidedBy() {
    return members.text("decided_by").orElse("");
  }

  /**
   * The organization's reason for rejecting it. {@code license_deleted} or {@code customer_changed} if the system
   * cancelled it.
   */
  public Optional<String> reason() {
    return members.text("reason");
  }

  @Override
  public String toString() {
    return "ApprovedTransfer" + members.ids();
  }
}
