// Generated from the contract by sdks/events/generate.ts. Do not edit.
package io.countersign.events;

import java.util.Optional;

/** Part of an event. */
public final class TransferHolder {
  private final EventMembers members;

  TransferHolder(EventMembers members) {
    this.members = members;
  }

  /** Empty while the organization has no customer with this email address or Discord ID. */
  public Optional<String> globalCustomerId() {
    return members.text("global_customer_id");
  }

  /** Empty, as the other members, once the organization has deleted the customer. */
  public Optional<String> customerEmail() {
    return members.text("customer_email");
  }

  /** The member {@code customer_name}. */
  public Optional<String> customerName() {
    return members.text("customer_name");
  }

  /** The member {@code customer_discord_id}. */
  public Optional<String> customerDiscordId() {
    return members.text("customer_discord_id");
  }

  @Override
  public String toString() {
    return "TransferHolder" + members.ids();
  }
}
