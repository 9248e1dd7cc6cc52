/** The events that webhooks deliver, one class per type: {@code LicenseRevoked.from(event)}. */
// Generated from the contract by sdks/events/generate.ts. Do not edit.
package io.countersign.events;
