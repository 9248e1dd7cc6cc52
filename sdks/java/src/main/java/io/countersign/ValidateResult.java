package io.countersign;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;

/** What the server said about a license. Grant access only when it is valid; the status says why not. */
public final class ValidateResult {
  /** Where a result comes from. */
  public enum Source {
    /** Asked just now. */
    SERVER,
    /** Remembered. */
    CACHE,
    /** From before the server could no longer be reached. */
    GRACE
  }

  private final Map<String, Object> answer;
  private final Source source;
  private final Instant checkedAt;
  private final String requestId;

  private ValidateResult(Map<String, Object> answer, Source source, Instant checkedAt, String requestId) {
    this.answer = answer;
    this.source = source;
    this.checkedAt = checkedAt;
    this.requestId = requestId;
  }

  /** Null for what is no answer to a validation. */
  static ValidateResult read(String body, Source source, Instant checkedAt, String requestId) {
    Map<String, Object> answer = Json.object(body);
    if (answer == null || !(answer.get("valid") instanceof Boolean)) return null;
    return answer.get("status") instanceof String
        ? new ValidateResult(answer, source, checkedAt, requestId)
        : null;
  }

  ValidateResult from(Source other) {
    return new ValidateResult(answer, other, checkedAt, requestId);
  }

  /** The answer as it came, to be read again later. */
  String body() {
    return Json.write(answer);
  }

  /** True only when the server said so, with a status that is known to grant. */
  public boolean valid() {
    return answer.get("valid") == Boolean.TRUE && status().equals("active");
  }

  /** What to act on, such as {@code active}, {@code revoked} or {@code expired}. There may be new ones one day. */
  public String status() {
    return (String) answer.get("status");
  }

  /** Empty for lifetime licenses, and when there is no such license. */
  public Optional<Instant> expires() {
    return Optional.ofNullable(Read.time(answer.get("expires")));
  }

  /** Whether this call took one of the license's places for the caller's address. */
  public Optional<Boolean> ipRegistered() {
    return source == Source.SERVER ? Optional.ofNullable(Read.flag(answer.get("ip_registered"))) : Optional.empty();
  }

  /** How many addresses the license is registered at. */
  public Optional<Integer> ipCount() {
    return Optional.ofNullable(Read.number(answer.get("ip_count")));
  }

  /** How many it allows. */
  public Optional<Integer> maxIps() {
    return Optional.ofNullable(Read.number(answer.get("max_ips")));
  }

  /** The version accepted for, or pinned to, the license. */
  public Optional<String> version() {
    return Optional.ofNullable(Read.text(answer.get("version")));
  }

  /** Whether the version that was sent is permitted. */
  public Optional<Boolean> versionValid() {
    return Optional.ofNullable(Read.flag(answer.get("version_valid")));
  }

  /** The product's custom response: maps, lists, strings, booleans, longs, doubles and nulls. */
  @SuppressWarnings("unchecked")
  public Optional<Map<String, Object>> custom() {
    Object custom = answer.get("custom");
    return custom instanceof Map
        ? Optional.of(Collections.unmodifiableMap((Map<String, Object>) custom))
        : Optional.empty();
  }

  /** Where it comes from. */
  public Source source() {
    return source;
  }

  /** When the server said it. */
  public Instant checkedAt() {
    return checkedAt;
  }

  /** The server's id of the request. */
  public Optional<String> requestId() {
    return Optional.ofNullable(requestId);
  }
}
