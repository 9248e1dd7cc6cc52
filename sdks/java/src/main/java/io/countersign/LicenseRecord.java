package io.countersign;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** The record of a license, as {@code lookup} returns it. Reading it changes nothing and grants nothing. */
public final class LicenseRecord {
  private final Map<String, Object> record;

  private LicenseRecord(Map<String, Object> record) {
    this.record = record;
  }

  /** Null for what is no license. */
  static LicenseRecord read(String body) {
    Map<String, Object> record = Json.object(body);
    if (record == null || !(record.get("id") instanceof String)) return null;
    return record.get("license_key") instanceof String ? new LicenseRecord(record) : null;
  }

  /** Its id. */
  public String id() {
    return (String) record.get("id");
  }

  /** Whose it is to sell. */
  public String organizationId() {
    return text("organization_id").orElse("");
  }

  /** What it is for. */
  public String productId() {
    return text("product_id").orElse("");
  }

  /** Whose it is to use. */
  public Optional<String> globalCustomerId() {
    return text("global_customer_id");
  }

  /** The key itself. */
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

  /** Whether it never expires. */
  public boolean isLifetime() {
    return record.get("is_lifetime") == Boolean.TRUE;
  }

  /** Whether its addresses are counted. */
  public boolean ipSystemEnabled() {
    return record.get("ip_system_enabled") == Boolean.TRUE;
  }

  /** From how many addresses it may be used. */
  public Optional<Integer> maxIps() {
    return Optional.ofNullable(Read.number(record.get("max_ips")));
  }

  /** From how many it was. */
  public int currentUniqueIpCount() {
    Integer count = Read.number(record.get("current_unique_ip_count"));
    return count == null ? 0 : count;
  }

  /** What the seller noted about it. */
  public Optional<String> notes() {
    return text("notes");
  }

  /** {@code pinned} or {@code range}. */
  public Optional<String> versionPinMode() {
    return text("version_pin_mode");
  }

  /** The one version it is for. */
  public Optional<String> versionPinned() {
    return text("version_pinned");
  }

  /** The first version it is for. */
  public Optional<String> versionRangeMin() {
    return text("version_range_min");
  }

  /** The first version it is no longer for. */
  public Optional<String> versionRangeMax() {
    return text("version_range_max");
  }

  /** When it was revoked. */
  public Optional<Instant> revokedAt() {
    return time("revoked_at");
  }

  /** When it was made. */
  public Instant createdAt() {
    return time("created_at").orElse(Instant.EPOCH);
  }

  /** When it was last changed. */
  public Instant updatedAt() {
    return time("updated_at").orElse(Instant.EPOCH);
  }

  /** The customer's address. */
  public Optional<String> customerEmail() {
    return text("customer_email");
  }

  /** The customer's name. */
  public Optional<String> customerName() {
    return text("customer_name");
  }

  /** The customer's Discord id. */
  public Optional<String> customerDiscordId() {
    return text("customer_discord_id");
  }

  private Optional<String> text(String name) {
    return Optional.ofNullable(Read.text(record.get(name)));
  }

  private Optional<Instant> time(String name) {
    return Optional.ofNullable(Read.time(record.get(name)));
  }
}
