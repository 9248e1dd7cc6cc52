package io.countersign;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The record of a license, as returned by {@code lookup}. Reading it changes nothing and grants nothing. */
public final class LicenseRecord {
  private static final List<String> TIMES = List.of("expires_at", "revoked_at", "created_at", "updated_at");

  private final Map<String, Object> record;

  private LicenseRecord(Map<String, Object> record) {
    this.record = record;
  }

  /** Null if the body is not a license. */
  static LicenseRecord read(String body) {
    Map<String, Object> record = Json.object(body);
    if (record == null || !(record.get("id") instanceof String)) return null;
    boolean isReadable =
        record.get("license_key") instanceof String
            && TIMES.stream().allMatch(name -> JsonValues.isTime(record.get(name)))
            && JsonValues.isCount(record.get("max_ips"))
            && JsonValues.isCount(record.get("current_unique_ip_count"));
    return isReadable ? new LicenseRecord(record) : null;
  }

  /** The license's ID. */
  public String id() {
    return (String) record.get("id");
  }

  /** The ID of the organization that sells the license. */
  public String organizationId() {
    return text("organization_id").orElse("");
  }

  /** The ID of the product. */
  public String productId() {
    return text("product_id").orElse("");
  }

  /** The ID of the customer. */
  public Optional<String> globalCustomerId() {
    return text("global_customer_id");
  }

  /** The license key. */
  public String licenseKey() {
    return (String) record.get("license_key");
  }

  /** {@code active}, {@code revoked} or {@code expired}. */
  public String status() {
    return text("status").orElse("");
  }

  /** Empty for lifetime licenses. */
  public Optional<Instant> expiresAt() {
    return time("expires_at");
  }

  /** Whether the license never expires. */
  public boolean isLifetime() {
    return record.get("is_lifetime") == Boolean.TRUE;
  }

  /** Whether the license's IP addresses are limited. */
  public boolean ipSystemEnabled() {
    return record.get("ip_system_enabled") == Boolean.TRUE;
  }

  /** The maximum number of registered IP addresses. */
  public Optional<Integer> maxIps() {
    return Optional.ofNullable(JsonValues.count(record.get("max_ips")));
  }

  /** The number of registered IP addresses. */
  public int currentUniqueIpCount() {
    Integer count = JsonValues.count(record.get("current_unique_ip_count"));
    return count == null ? 0 : count;
  }

  /** The seller's notes. */
  public Optional<String> notes() {
    return text("notes");
  }

  /** {@code pinned} or {@code range}. */
  public Optional<String> versionPinMode() {
    return text("version_pin_mode");
  }

  /** The only allowed version. */
  public Optional<String> versionPinned() {
    return text("version_pinned");
  }

  /** The first allowed version. */
  public Optional<String> versionRangeMin() {
    return text("version_range_min");
  }

  /** The first version that is no longer allowed. */
  public Optional<String> versionRangeMax() {
    return text("version_range_max");
  }

  /** When the license was revoked. */
  public Optional<Instant> revokedAt() {
    return time("revoked_at");
  }

  /** When the license was created. */
  public Instant createdAt() {
    return time("created_at").orElse(Instant.EPOCH);
  }

  /** When the license was last changed. */
  public Instant updatedAt() {
    return time("updated_at").orElse(Instant.EPOCH);
  }

  /** The customer's email address. */
  public Optional<String> customerEmail() {
    return text("customer_email");
  }

  /** The customer's name. */
  public Optional<String> customerName() {
    return text("customer_name");
  }

  /** The customer's Discord ID. */
  public Optional<String> customerDiscordId() {
    return text("customer_discord_id");
  }

  /** Without the license key, the notes and the customer. */
  @Override
  public String toString() {
    return "LicenseRecord[id=" + id() + ", status=" + status() + ", expiresAt=" + expiresAt().orElse(null) + "]";
  }

  private Optional<String> text(String name) {
    return Optional.ofNullable(JsonValues.text(record.get(name)));
  }

  private Optional<Instant> time(String name) {
    return Optional.ofNullable(JsonValues.time(record.get(name)));
  }
}
