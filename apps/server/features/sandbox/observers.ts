import type { JournalEntry } from "@countersign/store/journal";
import type { RequestObservers } from "../validate/public-call.ts";

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
  return { ...entry, license_id: null, sandbox: 1, tracked: false };
}
