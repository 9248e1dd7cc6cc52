// Generated from the contract by sdks/events/generate.ts. Do not edit.
package io.countersign.events;

import io.countersign.WebhookEvent;
import java.util.Optional;

/** A customer requested a license transfer: {@code license.transfer_requested}. */
public final class LicenseTransferRequested {
  /** The type of these events. */
  public static final String TYPE = "license.transfer_requested";

  private final EventMembers members;

  private LicenseTransferRequested(EventMembers members) {
    this.members = members;
  }

  /** Empty if the event is of another type. */
  public static Optional<LicenseTransferRequested> from(WebhookEvent event) {
    return event.type().equals(TYPE)
        ? Optional.of(new LicenseTransferRequested(new EventMembers(event.data())))
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

  /** The member {@code license_id}. */
  public String licenseId() {
    return members.text("license_id").orElse("");
  }

  /**
   * The license as in the management API. Missing if it was deleted before the event was sent, or if the body is
   * truncated.
   */
  public Optional<EventLicense> license() {
    return members.object("license", EventLicense::new);
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

  /** The member {@code transfer}. */
  public PendingTransfer transfer() {
    return members.object("transfer", PendingTransfer::new).orElseGet(() -> new PendingTransfer(EventMembers.NONE));
  }

  @Override
  public String toString() {
    return "LicenseTransferRequested" + members.ids();
  }
}
