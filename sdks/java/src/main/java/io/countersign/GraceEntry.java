package io.countersign;

import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** The stored text of a license: the latest time seen, and when which version and device was valid. */
final class GraceEntry {
  /** The maximum number of versions and devices stored per license. */
  static final int MAX_GRANTS = 50;

  final long seenMillis;
  private final Map<String, Object> grants;

  private GraceEntry(long seenMillis, Map<String, Object> grants) {
    this.seenMillis = seenMillis;
    this.grants = grants;
  }

  static GraceEntry empty(long seenMillis) {
    return new GraceEntry(seenMillis, Collections.emptyMap());
  }

  /** Null if the text is not an entry. */
  static GraceEntry read(String text) {
    Map<String, Object> members = Json.object(text);
    Map<String, Object> grants = members == null ? null : JsonValues.object(members.get("grants"));
    Object seen = members == null ? null : members.get("seen");
    return grants == null || !(seen instanceof Long) ? null : new GraceEntry((Long) seen, grants);
  }

  String text() {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("seen", seenMillis);
    members.put("grants", grants);
    return Json.write(members);
  }

  GraceEntry seenAt(long millis) {
    return millis <= seenMillis ? this : new GraceEntry(millis, grants);
  }

  GraceEntry with(String request, ValidateResult result, long nowMillis) {
    Map<String, Object> grant = new LinkedHashMap<>();
    grant.put("granted_at", nowMillis);
    grant.put("request_id", result.facts().requestId);
    grant.put("problem", result.facts().problem);
    grant.put("clock_skew", result.facts().clockSkewSeconds);
    grant.put("body", result.body());
    Map<String, Object> changed = new LinkedHashMap<>(grants);
    changed.remove(request);
    if (changed.size() >= MAX_GRANTS) changed.remove(changed.keySet().iterator().next());
    changed.put(request, grant);
    return new GraceEntry(seenMillis, changed);
  }

  /** Null if the request was never valid. */
  Long grantedAtMillis(String request) {
    Map<String, Object> grant = JsonValues.object(grants.get(request));
    return grant == null ? null : (Long) grant.get("granted_at");
  }

  /** The result that was valid; null if there is none. */
  ValidateResult result(String request) {
    Map<String, Object> grant = JsonValues.object(grants.get(request));
    if (grant == null) return null;
    ResponseFacts facts =
        new ResponseFacts(
            JsonValues.text(grant.get("request_id")),
            null,
            JsonValues.text(grant.get("problem")),
            (Long) grant.get("clock_skew"));
    Instant grantedAt = Instant.ofEpochMilli((Long) grant.get("granted_at"));
    return ValidateResult.read((String) grant.get("body"), ValidateResult.Source.GRACE, grantedAt, facts);
  }
}
