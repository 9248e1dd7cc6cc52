// Generated from the contract by sdks/events/generate.ts. Do not edit.
package io.countersign.events;

import io.countersign.WebhookEvent;
import java.util.Optional;

/** Someone tests an endpoint, or the server checks whether a failing one works again: {@code endpoint.test}. */
public final class EndpointTest {
  /** The type of these events. */
  public static final String TYPE = "endpoint.test";

  private final EventMembers members;

  private EndpointTest(EventMembers members) {
    this.members = members;
  }

  /** Empty if the event is of another type. */
  public static Optional<EndpointTest> from(WebhookEvent event) {
    return event.type().equals(TYPE)
        ? Optional.of(new EndpointTest(new EventMembers(event.data())))
        : Optional.empty();
  }

  /** The member {@code organization_id}. */
  public String organizationId() {
    return members.text("organization_id").orElse("");
  }

  /** The member {@code endpoint_id}. */
  public String endpointId() {
    return members.text("endpoint_id").orElse("");
  }

  /** The member {@code message}. */
  public String message() {
    return members.text("message").orElse("");
  }

  @Override
  public String toString() {
    return "EndpointTest" + members.ids();
  }
}
