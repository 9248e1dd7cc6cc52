// Generated from the contract by sdks/events/generate.ts. Do not edit.
package io.countersign.events;

import io.countersign.WebhookEvent;
import java.util.List;
import java.util.Optional;

/** Licenses of a product were revoked in bulk: one event for each batch: {@code license.bulk_revoked}. */
public final class LicenseBulkRevoked {
  /** The type of these events. */
  public static final String TYPE = "license.bulk_revoked";

  private final EventMembers members;

  private LicenseBulkRevoked(EventMembers members) {
    this.members = members;
  }

  /** Empty if the event is of another type. */
  public static Optional<LicenseBulkRevoked> from(WebhookEvent event) {
    return event.type().equals(TYPE)
        ? Optional.of(new LicenseBulkRevoked(new EventMembers(event.data())))
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

  /** The member {@code license_ids}. */
  public List<String> licenseIds() {
    return members.texts("license_ids").orElse(List.of());
  }

  /** The member {@code count}. */
  public long count() {
    return members.wholeNumber("count").orElse(0L);
  }

  /** The member {@code reason}. */
  public Optional<String> reason() {
    return members.text("reason");
  }

  /**
   * Present if the body would exceed 20 KiB. The long fields of the license are omitted, or the whole license and
   * the previous values.
   */
  public boolean truncated() {
    return members.bool("truncated").orElse(false);
  }

  /** Present if the operator triggered the event as a test. */
  public boolean test() {
    return members.bool("test").orElse(false);
  }

  @Override
  public String toString() {
    return "LicenseBulkRevoked" + members.ids();
  }
}
