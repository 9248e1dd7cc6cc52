import type { JournalEntry } from "@countersign/store/journal";
import type { RequestObservers } from "../validate/caller.ts";

/** Reports requests to the sandbox so that they do not distort what is known about real ones. */
export function sandboxObservers(live: RequestObservers): RequestObservers {
  return {
    count: (endpoint) => live.count(endpoint, "sandbox"),
    record: (entry) => live.record(asSandbox(entry)),
  };
}

/** About no license, and no sighting of an IP address. */
function asSandbox(entry: JournalEntry): JournalEntry {
  const [id, atMs, organizationId, productId, , endpoint, status, ip, version, deviceId, problem] = entry;
  return [id, atMs, organizationId, productId, null, endpoint, status, ip, version, deviceId, problem, false];
}
