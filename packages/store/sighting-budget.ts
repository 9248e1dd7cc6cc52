import { refusalHour } from "@countersign/domain/events/thresholds";
import type { Sighting } from "./journal.ts";

/**
 * A caller can use a new IP address for every request. Per license and hour, only this many new IP addresses are
 * recorded; known ones always are. Each process counts separately.
 */
const newSightingsAnHour = 100;

/** Beyond this many licenses the counts start over, which records more, not less. */
const mostCounted = 50_000;

export class SightingBudget {
  readonly #spent = new Map<string, number>();
  #hour = 0;

  /** The new sightings that still fit into the budget. */
  admit({ licenseId, lastSeenMs }: Sighting): boolean {
    const hour = refusalHour(lastSeenMs);
    if (hour > this.#hour || this.#spent.size >= mostCounted) this.#spent.clear();
    this.#hour = Math.max(hour, this.#hour);
    const spent = this.#spent.get(licenseId) ?? 0;
    if (spent >= newSightingsAnHour) return false;
    this.#spent.set(licenseId, spent + 1);
    return true;
  }
}
