package io.countersign.events;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.function.Function;

/** Reads members of an event. A member that is absent, null or of another type is empty. */
final class EventMembers {
  static final EventMembers NONE = new EventMembers(Map.of());

  private final Map<String, Object> members;

  EventMembers(Map<String, Object> members) {
    this.members = members;
  }

  Optional<String> text(String name) {
    return value(name, String.class);
  }

  Optional<Long> wholeNumber(String name) {
    return value(name, Number.class).map(Number::longValue);
  }

  Optional<Boolean> bool(String name) {
    return value(name, Boolean.class);
  }

  Optional<Instant> time(String name) {
    return text(name).flatMap(EventMembers::parsed);
  }

  Optional<List<String>> texts(String name) {
    return value(name, List.class).map(EventMembers::onlyTexts);
  }

  @SuppressWarnings("unchecked")
  Optional<Map<String, Object>> map(String name) {
    return value(name, Map.class).map(map -> Collections.unmodifiableMap((Map<String, Object>) map));
  }

  <T> Optional<T> object(String name, Function<EventMembers, T> constructor) {
    return map(name).map(EventMembers::new).map(constructor);
  }

  /** The IDs, which say in a log what an event is about. Nothing else is safe there. */
  String ids() {
    StringJoiner ids = new StringJoiner(", ", "[", "]");
    for (String name : List.of("id", "organization_id", "product_id", "license_id"))
      text(name).ifPresent(id -> ids.add(name + "=" + id));
    return ids.toString();
  }

  private <T> Optional<T> value(String name, Class<T> type) {
    return Optional.ofNullable(members.get(name)).filter(type::isInstance).map(type::cast);
  }

  private static Optional<Instant> parsed(String text) {
    try {
      return Optional.of(OffsetDateTime.parse(text).toInstant());
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  private static List<String> onlyTexts(List<?> values) {
    List<String> texts = new ArrayList<>();
    for (Object value : values) if (value instanceof String) texts.add((String) value);
    return Collections.unmodifiableList(texts);
  }
}
