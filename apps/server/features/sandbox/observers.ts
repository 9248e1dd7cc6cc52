import type { JournalEntry } from "@countersign/store/journal";
import type { RequestObservers } from "../validate/caller.ts";

/** Reports requests to the sandbox so that they do not distort what is known about real ones. */
export function sandboxObservers(live: RequestObservers): RequestObservers {
  return {
    count: (endpoint) => live.count(endpoint, "sandbox"),
    took: () => {},
    record: (entry) => live.record(asSandbox(entry)),
  };
}

/** About no license, and no sighting of an IP address. */
function asSandbox(entry: JournalEntry): JournalEntry {
  const [atMs, id, organizationId, productId, , endpoint, status, ip, ...rest] = entry;
  const [version, deviceId, problem, durationUs, count, , facts] = rest;
  const known = [atMs, id, organizationId, productId, null, endpoint, status, ip] as const;
  return [...known, version, deviceId, problem, durationUs, count, 1, facts, false];
}
