package io.countersign;

import java.time.Instant;
import java.util.Map;

/** An event of a license or a product. */
public final class WebhookEvent {
  private final String id;
  private final Instant timestamp;
  private final Map<String, Object> event;

  private WebhookEvent(String id, Instant timestamp, Map<String, Object> event) {
    this.id = id;
    this.timestamp = timestamp;
    this.event = event;
  }

  /** Null if the body is not an event. One without a time was signed by a test: it has that of the delivery. */
  static WebhookEvent read(String id, Instant sentAt, String body) {
    Map<String, Object> event = Json.object(body);
    if (event == null || !(event.get("type") instanceof String)) return null;
    Object given = event.get("timestamp");
    Instant timestamp = given == null ? sentAt : JsonValues.time(given);
    return timestamp == null ? null : new WebhookEvent(id, timestamp, event);
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
    return timestamp;
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
