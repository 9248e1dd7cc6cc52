package io.countersign;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** The server's verdict on a license. Grant access only if it is valid; the status says why not. Immutable. */
public final class ValidateResult {
  /** Where a result comes from. */
  public enum Source {
    /** From the server. */
    SERVER,
    /** From the cache. */
    CACHE,
    /** From the grace period, without a verdict of the server. */
    GRACE,
    /** From the SDK: no license can have this key, so the server was not asked. */
    LOCAL
  }

  private final Map<String, Object> members;
  private final Source source;
  private final Instant checkedAt;
  private final ResponseFacts facts;

  private ValidateResult(Map<String, Object> members, Source source, Instant checkedAt, ResponseFacts facts) {
    this.members = members;
    this.source = source;
    this.checkedAt = checkedAt;
    this.facts = facts;
  }

  /** Null if the body is not a validate response. */
  static ValidateResult read(String body, Source source, Instant checkedAt, ResponseFacts facts) {
    Map<String, Object> members = Json.object(body);
    if (members == null || !(members.get("valid") instanceof Boolean)) return null;
    boolean isReadable =
        members.get("status") instanceof String
            && JsonValues.isTime(members.get("expires"))
            && JsonValues.isCount(members.get("ip_count"))
            && JsonValues.isCount(members.get("max_ips"));
    return isReadable ? new ValidateResult(members, source, checkedAt, facts) : null;
  }

  /** For a key that no license can have. */
  static ValidateResult impossibleKey(Instant now) {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("valid", false);
    members.put("status", Status.LICENSE_NOT_FOUND.code());
    return new ValidateResult(members, Source.LOCAL, now, ResponseFacts.NONE);
  }

  ValidateResult from(Source other) {
    return new ValidateResult(members, other, checkedAt, facts.withoutRateLimit());
  }

  /** The members as JSON, to be read again later. */
  String body() {
    return Json.write(members);
  }

  ResponseFacts facts() {
    return facts;
  }

  /** Whether to grant access. An unknown status never grants access. */
  public boolean valid() {
    return members.get("valid") == Boolean.TRUE && knownStatus() == Status.ACTIVE;
  }

  /** The status, such as {@code active}, {@code revoked} or {@code expired}. A newer server may return others. */
  public String status() {
    return (String) members.get("status");
  }

  /** The status for a {@code switch}; {@link Status#UNKNOWN} if this version of the SDK does not know it. */
  public Status knownStatus() {
    return Status.of(status());
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
    return Optional.ofNullable(JsonValues.count(members.get("ip_count")));
  }

  /** The maximum number of registered IP addresses. */
  public Optional<Integer> maxIps() {
    return Optional.ofNullable(JsonValues.count(members.get("max_ips")));
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
  public Optional<Map<String, Object>> custom() {
    return Optional.ofNullable(JsonValues.object(members.get("custom")));
  }

  /**
   * The product's custom response as the app's own type, such as {@code customAs(Features::from)} or, with Jackson,
   * {@code customAs(custom -> mapper.convertValue(custom, Features.class))}.
   */
  public <T> Optional<T> customAs(Function<? super Map<String, Object>, ? extends T> reader) {
    return custom().map(reader);
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
    return Optional.ofNullable(facts.requestId);
  }

  /** How much of the product's daily limit is left. Empty if the server did not say, and unless it was asked. */
  public Optional<RateLimit> rateLimit() {
    return Optional.ofNullable(facts.rateLimit);
  }

  /** What the server found wrong with the request, such as a version that is not a string. */
  public Optional<String> problem() {
    return Optional.ofNullable(facts.problem);
  }

  /** The server's time minus this machine's, in whole seconds. Only known for signed responses. */
  public Optional<Duration> clockSkew() {
    return Optional.ofNullable(facts.clockSkewSeconds).map(Duration::ofSeconds);
  }

  /** Without the custom response, which may contain secrets. */
  @Override
  public String toString() {
    return "ValidateResult[valid="
        + valid()
        + ", status="
        + status()
        + ", expires="
        + expires().orElse(null)
        + ", source="
        + source
        + ", checkedAt="
        + checkedAt
        + ", requestId="
        + facts.requestId
        + "]";
  }
}
