import type { Decision } from "../client.ts";

/** The license of a request: whether to let the request in, and why. */
export interface RequestLicense extends Decision {
  /** Null if the request has none. */
  readonly key: string | null;
}
