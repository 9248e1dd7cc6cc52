package io.countersign;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** The members of results and errors, by the names that the cases use. */
final class CaseFields {
  private CaseFields() {}

  static Map<String, Object> of(ValidateResult result) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("valid", result.valid());
    fields.put("status", result.status());
    fields.put("expires", result.expires().map(CaseFields::text).orElse(null));
    fields.put("ip_registered", result.ipRegistered().orElse(null));
    fields.put("ip_count", result.ipCount().orElse(null));
    fields.put("max_ips", result.maxIps().orElse(null));
    fields.put("version", result.version().orElse(null));
    fields.put("version_valid", result.versionValid().orElse(null));
    fields.put("custom", result.custom().orElse(null));
    fields.put("source", result.source().name().toLowerCase());
    fields.put("checked_at", text(result.checkedAt()));
    fields.put("request_id", result.requestId().orElse(null));
    fields.put("rate_limit", result.rateLimit().map(CaseFields::of).orElse(null));
    fields.put("problem", result.problem().orElse(null));
    fields.put("clock_skew_seconds", result.clockSkew().map(Duration::getSeconds).orElse(null));
    return fields;
  }

  private static Map<String, Object> of(RateLimit limit) {
    return Map.of(
        "limit", limit.limit(), "remaining", limit.remaining(), "reset_seconds", limit.reset().getSeconds());
  }

  static Map<String, Object> of(Decision decision) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("allowed", decision.allowed());
    fields.put("error", decision.problem().map(CaseFields::kind).orElse(null));
    return fields;
  }

  static Map<String, Object> of(LicenseRecord license) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("id", license.id());
    fields.put("organization_id", license.organizationId());
    fields.put("product_id", license.productId());
    fields.put("global_customer_id", license.globalCustomerId().orElse(null));
    fields.put("license_key", license.licenseKey());
    fields.put("status", license.status());
    fields.put("expires_at", license.expiresAt().map(CaseFields::text).orElse(null));
    fields.put("is_lifetime", license.isLifetime());
    fields.put("ip_system_enabled", license.ipSystemEnabled());
    fields.put("max_ips", license.maxIps().orElse(null));
    fields.put("current_unique_ip_count", license.currentUniqueIpCount());
    fields.put("notes", license.notes().orElse(null));
    fields.put("version_pin_mode", license.versionPinMode().orElse(null));
    fields.put("version_pinned", license.versionPinned().orElse(null));
    fields.put("version_range_min", license.versionRangeMin().orElse(null));
    fields.put("version_range_max", license.versionRangeMax().orElse(null));
    fields.put("revoked_at", license.revokedAt().map(CaseFields::text).orElse(null));
    fields.put("created_at", text(license.createdAt()));
    fields.put("updated_at", text(license.updatedAt()));
    fields.put("customer_email", license.customerEmail().orElse(null));
    fields.put("customer_name", license.customerName().orElse(null));
    fields.put("customer_discord_id", license.customerDiscordId().orElse(null));
    return fields;
  }

  static Map<String, Object> of(CountersignException problem) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("kind", kind(problem));
    fields.put("message", problem.getMessage());
    fields.put("request_id", problem.requestId().orElse(null));
    fields.put("status", problem.httpStatus().isPresent() ? problem.httpStatus().getAsInt() : null);
    fields.put("headers", problem.headers());
    fields.put("body", problem.body().orElse(null));
    if (problem instanceof SignatureException) fields.put("reason", ((SignatureException) problem).reason());
    if (problem instanceof SandboxException) fields.put("code", ((SandboxException) problem).code());
    if (problem instanceof ServerException) {
      ServerException server = (ServerException) problem;
      fields.put("retry_after_seconds", server.retryAfter().map(Duration::getSeconds).orElse(null));
    }
    if (problem instanceof RateLimitException) {
      RateLimitException limit = (RateLimitException) problem;
      fields.put("retry_after_seconds", limit.retryAfter().getSeconds());
      fields.put("reset_at", text(limit.resetAt()));
    }
    return fields;
  }

  static String kind(CountersignException problem) {
    String name = problem.getClass().getSimpleName().replace("Exception", "");
    return name.replaceAll("(?<=[a-z])(?=[A-Z])", "_").toLowerCase();
  }

  static String text(Instant time) {
    return Instant.ofEpochMilli(time.toEpochMilli()).toString().replaceFirst("(:[0-9]{2})Z$", "$1.000Z");
  }
}
