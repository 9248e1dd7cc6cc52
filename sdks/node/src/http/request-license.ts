import type { Decision } from "../client.ts";
import type { CustomResponse } from "../result.ts";

/** The license of a request: whether to let the request in, and why. */
export interface RequestLicense<Custom = CustomResponse> extends Decision<Custom> {
  /** Null if the request has none. */
  readonly key: string | null;
}
