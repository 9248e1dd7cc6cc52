package io.countersign;

import java.time.Instant;
import java.util.Map;

/** An event of a license or a product. */
public final class WebhookEvent {
  private final String id;
  private final Map<String, Object> event;

  private WebhookEvent(String id, Map<String, Object> event) {
    this.id = id;
    this.event = event;
  }

  /** Null if the body is not an event. */
  static WebhookEvent read(String id, String body) {
    Map<String, Object> event = Json.object(body);
    return event != null && event.get("type") instanceof String ? new WebhookEvent(id, event) : null;
  }

  /** The same for every delivery of the event: store it, and process the event only once. */
  public String id() {
    return id;
  }

  /** The type, such as {@code license.revoked}. */
  public String type() {
    return (String) event.get("type");
  }

  /** When the event occurred. */
  public Instant timestamp() {
    Instant time = JsonValues.time(event.get("timestamp"));
    return time == null ? Instant.EPOCH : time;
  }

  /** The event's data: maps, lists, strings, booleans, longs, doubles and nulls. */
  public Map<String, Object> data() {
    Map<String, Object> data = JsonValues.object(event.get("data"));
    return data == null ? Map.of() : data;
  }

  /** Without the data, which can contain a license key or a customer. */
  @Override
  public String toString() {
    return "WebhookEvent[id=" + id + ", type=" + type() + ", timestamp=" + timestamp() + "]";
  }
}
