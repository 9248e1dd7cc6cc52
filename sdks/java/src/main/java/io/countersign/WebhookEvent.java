package io.countersign;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;

/** Something that happened to a license or a product. */
public final class WebhookEvent {
  private final String id;
  private final Map<String, Object> event;

  private WebhookEvent(String id, Map<String, Object> event) {
    this.id = id;
    this.event = event;
  }

  /** Null for what is no event. */
  static WebhookEvent read(String id, String body) {
    Map<String, Object> event = Json.object(body);
    return event != null && event.get("type") instanceof String ? new WebhookEvent(id, event) : null;
  }

  /** The same however often it is delivered: remember it, and do the work once. */
  public String id() {
    return id;
  }

  /** Such as {@code license.revoked}. */
  public String type() {
    return (String) event.get("type");
  }

  /** When it happened. */
  public Instant timestamp() {
    Instant time = Read.time(event.get("timestamp"));
    return time == null ? Instant.EPOCH : time;
  }

  /** What it is about: maps, lists, strings, booleans, longs, doubles and nulls. */
  @SuppressWarnings("unchecked")
  public Map<String, Object> data() {
    Object data = event.get("data");
    return data instanceof Map ? Collections.unmodifiableMap((Map<String, Object>) data) : Map.of();
  }
}
