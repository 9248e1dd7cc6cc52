// Generated from the contract by sdks/events/generate.ts. Do not edit.
package io.countersign.events;

import io.countersign.WebhookEvent;
import java.util.Optional;

/** A license was transferred: {@code license.transferred}. */
public final class LicenseTransferred {
  /** The type of these events. */
  public static final String TYPE = "license.transferred";

  private final EventMembers members;

  private LicenseTransferred(EventMembers members) {
    this.members = members;
  }

  /** Empty if the event is of another type. */
  public static Optional<LicenseTransferred> from(WebhookEvent event) {
    return event.type().equals(TYPE)
        ? Optional.of(new LicenseTransferred(new EventMembers(event.data())))
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
  public ApprovedTransfer transfer() {
    return members.object("transfer", ApprovedTransfer::new).orElseGet(() -> new ApprovedTransfer(EventMembers.NONE));
  }

  @Override
  public String toString() {
    return "LicenseTransferred" + members.ids();
  }
}
