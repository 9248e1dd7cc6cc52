import { AsyncLocalStorage } from "node:async_hooks";
import type { Store } from "@countersign/store/store";
import type { UserRow } from "@countersign/store/tables/sign-in";
import type { getSessionFromCtx } from "better-auth/api";
import { type PersonActor, sessionOf } from "../../../api/actor.ts";
import type { Config } from "../../../base/config.ts";
import type { Log } from "../../../base/log.ts";
import { networkOf } from "../../../http/caller-ip.ts";

import type { Origin } from "../../../limits/account-limits.ts";
import type { Devices } from "../../../limits/devices.ts";
import type { FloodLimits } from "../../../limits/flood-limits.ts";
import { checkingPasswordsOf } from "../passwords/passwords.ts";
import type { GuardedRoute } from "./auth-gate.ts";

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

/** One request, as the library's endpoints take it. */
export interface EndpointInput {
  readonly method: "GET" | "POST";
  readonly headers: Headers;
  readonly request: Request;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export type Endpoint = (input: EndpointInput) => Promise<Response>;

/** What the library knows of a request before one of its endpoints runs. */
export type HookContext = Parameters<typeof getSessionFromCtx>[0];

/** The origin of the request that the sign-in library is processing, from the point of view of one account. */
const callOrigin = new AsyncLocalStorage<(userId: string) => Origin>();

export function originFor(userId: string): Origin {
  return callOrigin.getStore()?.(userId) ?? { ip: null, deviceId: null };
}

/** What an attempt counts towards. Codes are counted where their owner is known. */
export function accountOf({ route, body, person }: AuthCall): string | null {
  if (route.account !== undefined) return String(body[route.account]);
  if (person === null || route.attempt === "second_factor") return null;
  return route.attempt === "password" ? sessionOf(person) : person.userId;
}

/** Its origin, for the account with the given email address. */
export function originOf({ route, body, device, ip }: AuthCall): Origin {
  const isOwners =
    route.account !== undefined &&
    device?.owner.email.toLowerCase() === String(body[route.account]).trim().toLowerCase();
  return { ip, deviceId: isOwners ? (device?.id ?? null) : null };
}

/** Runs the library, which calls back for the origin of a code attempt, and checks passwords in their queue. */
export function runForCall<T>(call: AuthCall, work: () => Promise<T>): Promise<T> {
  const { route, person, device, ip } = call;
  const isKnown = person !== null || originOf(call).deviceId !== null || route.id === "resetPassword";
  const originOfUser = (userId: string): Origin => {
    if (person?.userId === userId) return { ip, deviceId: sessionOf(person) };
    return { ip, deviceId: device?.owner.id === userId ? device.id : null };
  };
  return callOrigin.run(originOfUser, () => checkingPasswordsOf({ isKnown, network: networkOf(ip) }, work));
}
