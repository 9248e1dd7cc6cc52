// Generated from the contract by sdks/events/generate.ts. Do not edit.
package io.countersign.events;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Part of an event. */
public final class EventLicense {
  private final EventMembers members;

  EventLicense(EventMembers members) {
    this.members = members;
  }

  /** The member {@code id}. */
  public String id() {
    return members.text("id").orElse("");
  }

  /** The member {@code organization_id}. */
  public String organizationId() {
    return members.text("organization_id").orElse("");
  }

  /** The member {@code product_id}. */
  public String productId() {
    return members.text("product_id").orElse("");
  }

  /** The member {@code global_customer_id}. */
  public Optional<String> globalCustomerId() {
    return members.text("global_customer_id");
  }

  /** The member {@code license_key}. */
  public String licenseKey() {
    return members.text("license_key").orElse("");
  }

  /** The member {@code status}. */
  public String status() {
    return members.text("status").orElse("");
  }

  /** The member {@code expires_at}. */
  public Optional<Instant> expiresAt() {
    return members.time("expires_at");
  }

  /** The member {@code is_lifetime}. */
  public boolean isLifetime() {
    return members.bool("is_lifetime").orElse(false);
  }

  /** The member {@code ip_system_enabled}. */
  public boolean ipSystemEnabled() {
    return members.bool("ip_system_enabled").orElse(false);
  }

  /** The member {@code max_ips}. */
  public Optional<Long> maxIps() {
    return members.wholeNumber("max_ips");
  }

  /**
   * The number of IP addresses registered on the license, which {@code max_ips} limits. An IPv6 /64 network counts
   * once. IP addresses that were rejected, or seen while {@code ip_system_enabled} or the product's tracking was
   * off, do not count.
   */
  public long currentUniqueIpCount() {
    return members.wholeNumber("current_unique_ip_count").orElse(0L);
  }

  /** The member {@code notes}. */
  public Optional<String> notes() {
    return members.text("notes");
  }

  /** The member {@code version_pin_mode}. */
  public Optional<String> versionPinMode() {
    return members.text("version_pin_mode");
  }

  /** The member {@code version_pinned}. */
  public Optional<String> versionPinned() {
    return members.text("version_pinned");
  }

  /** The member {@code version_range_min}. */
  public Optional<String> versionRangeMin() {
    return members.text("version_range_min");
  }

  /** The member {@code version_range_max}. */
  public Optional<String> versionRangeMax() {
    return members.text("version_range_max");
  }

  /** The member {@code revoked_at}. */
  public Optional<Instant> revokedAt() {
    return members.time("revoked_at");
  }

  /** The member {@code created_at}. */
  public Instant createdAt() {
    return members.time("created_at").orElse(Instant.EPOCH);
  }

  /**
   * When the license last changed, including its {@code current_unique_ip_count}. If-Match, {@code updated_at} in a
   * PATCH and the order of lists consider edits only: an IP address that was registered in the meantime does not
   * cause a conflict.
   */
  public Instant updatedAt() {
    return members.time("updated_at").orElse(Instant.EPOCH);
  }

  /** The member {@code customer_email}. */
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

  /** The member {@code product_name}. */
  public String productName() {
    return members.text("product_name").orElse("");
  }

  /** The member {@code revoked_reason}. */
  public Optional<String> revokedReason() {
    return members.text("revoked_reason");
  }

  /** The member {@code custom_override}. */
  public Optional<Map<String, Object>> customOverride() {
    return members.map("custom_override");
  }

  /** The member {@code metadata}. */
  public Optional<Map<String, Object>> metadata() {
    return members.map("metadata");
  }

  /** The member {@code tags}. */
  public List<String> tags() {
    return members.texts("tags").orElse(List.of());
  }

  /** When the license first passed a validation. */
  public Optional<Instant> firstUsedAt() {
    return members.time("first_used_at");
  }

  /** The term, which starts with the first use. Until then, {@code expires_at} is null. */
  public Optional<Long> termSeconds() {
    return members.wholeNumber("term_seconds");
  }

  @Override
  public String toString() {
    return "EventLicense" + members.ids();
  }
}
