import type { Store } from "@countersign/store/store";
import type { UserRow } from "@countersign/store/tables/sign-in";
import type { PersonActor } from "../../api/actor.ts";
import type { Config } from "../../base/config.ts";
import type { Log } from "../../base/log.ts";
import type { Devices } from "../../limits/devices.ts";
import type { FloodLimits } from "../../limits/flood-limits.ts";
import type { GuardedRoute } from "./auth-routes.ts";
import type { Endpoint } from "./endpoints.ts";

export interface AuthApiParts {
  readonly store: Store;
  readonly config: Config;
  readonly log: Log;
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly flood: FloodLimits;
  readonly devices: Devices;
  readonly personOf: (request: Request) => Promise<PersonActor | null>;
  /** The user whose password a token from an email sets; null if the token is invalid. */
  readonly resetOwner: (token: string) => Promise<string | null>;
}

export interface CookieNames {
  readonly session: string;
  /** Of a user who has given the password and still has to give the second factor. */
  readonly secondFactor: string;
}

/** A request to the sign-in library that has been read and may go on. */
export interface AuthCall {
  readonly route: GuardedRoute;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly person: PersonActor | null;
  /** The browser, if nobody is signed in but someone has been before. */
  readonly device: KnownDevice | null;
  readonly ip: string | null;
  readonly requestId: string;
  readonly nowMs: number;
}

export interface KnownDevice {
  readonly id: string;
  readonly owner: UserRow;
}
