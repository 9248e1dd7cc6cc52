package io.countersign;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;

/** The server's verdict on a license. Grant access only if it is valid; the status says why not. */
public final class ValidateResult {
  /** Where a result comes from. */
  public enum Source {
    /** From the server. */
    SERVER,
    /** From the cache. */
    CACHE,
    /** From the grace period, while the server is unreachable. */
    GRACE
  }

  private final Map<String, Object> members;
  private final Source source;
  private final Instant checkedAt;
  private final String requestId;

  private ValidateResult(Map<String, Object> members, Source source, Instant checkedAt, String requestId) {
    this.members = members;
    this.source = source;
    this.checkedAt = checkedAt;
    this.requestId = requestId;
  }

  /** Null if the body is not a validate response. */
  static ValidateResult read(String body, Source source, Instant checkedAt, String requestId) {
    Map<String, Object> members = Json.object(body);
    if (members == null || !(members.get("valid") instanceof Boolean)) return null;
    return members.get("status") instanceof String
        ? new ValidateResult(members, source, checkedAt, requestId)
        : null;
  }

  ValidateResult from(Source other) {
    return new ValidateResult(members, other, checkedAt, requestId);
  }

  /** The members as JSON, to be read again later. */
  String body() {
    return Json.write(members);
  }

  /** Whether to grant access. An unknown status never grants access. */
  public boolean valid() {
    return members.get("valid") == Boolean.TRUE && status().equals("active");
  }

  /** The status, such as {@code active}, {@code revoked} or {@code expired}. A newer server may return others. */
  public String status() {
    return (String) members.get("status");
  }

  /** Empty for lifetime licenses, and if there is no such license. */
  public Optional<Instant> expires() {
    return Optional.ofNullable(JsonValues.time(members.get("expires")));
  }

  /** Whether this call registered the caller's IP address with the license. */
  public Optional<Boolean> ipRegistered() {
    return source == Source.SERVER
        ? Optional.ofNullable(JsonValues.flag(members.get("ip_registered")))
        : Optional.empty();
  }

  /** The number of registered IP addresses. */
  public Optional<Integer> ipCount() {
    return Optional.ofNullable(JsonValues.number(members.get("ip_count")));
  }

  /** The maximum number of registered IP addresses. */
  public Optional<Integer> maxIps() {
    return Optional.ofNullable(JsonValues.number(members.get("max_ips")));
  }

  /** The version accepted for, or pinned to, the license. */
  public Optional<String> version() {
    return Optional.ofNullable(JsonValues.text(members.get("version")));
  }

  /** Whether the version that was sent is permitted. */
  public Optional<Boolean> versionValid() {
    return Optional.ofNullable(JsonValues.flag(members.get("version_valid")));
  }

  /** The product's custom response: maps, lists, strings, booleans, longs, doubles and nulls. */
  @SuppressWarnings("unchecked")
  public Optional<Map<String, Object>> custom() {
    Object custom = members.get("custom");
    return custom instanceof Map
        ? Optional.of(Collections.unmodifiableMap((Map<String, Object>) custom))
        : Optional.empty();
  }

  /** Where the result comes from. */
  public Source source() {
    return source;
  }

  /** When the server returned it. */
  public Instant checkedAt() {
    return checkedAt;
  }

  /** The server's ID for the request. */
  public Optional<String> requestId() {
    return Optional.ofNullable(requestId);
  }
}
