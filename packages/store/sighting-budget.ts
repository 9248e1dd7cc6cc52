import { refusalHour } from "@countersign/domain/events/refusal";
import type { Sighting } from "./journal.ts";

/**
 * A caller can come from a new address with every request. Of each license, so many addresses that it was not seen with
 * before are written down in an hour; known ones always are. Each process counts for itself.
 */
export const newSightingsAnHour = 100;

/** Beyond so many licenses the counts begin again, which lets more be written down, not less. */
const mostCounted = 50_000;

export class SightingBudget {
  readonly #spent = new Map<string, number>();
  #hour = 0;

  /** Of sightings that are new, those that are still to be written down. */
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
