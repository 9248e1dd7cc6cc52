import { AsyncLocalStorage } from "node:async_hooks";
import { sessionOf } from "../../http/manage/actor.ts";
import type { Origin } from "./account-limits.ts";
import type { AuthCall } from "./auth-call.ts";
import { aheadOfStrangers } from "./passwords.ts";

/** Where the request that the sign-in library works on comes from, as seen by one account. */
const callOrigin = new AsyncLocalStorage<(userId: string) => Origin>();

export function originFor(userId: string): Origin {
  return callOrigin.getStore()?.(userId) ?? { ip: null, deviceId: null };
}

/** What an attempt is counted on. Codes are counted where it is known whose they are. */
export function accountOf({ route, body, person }: AuthCall): string | null {
  if (route.account !== undefined) return String(body[route.account]);
  if (person === null || route.attempt === "second_factor") return null;
  return route.attempt === "password" ? sessionOf(person) : person.userId;
}

/** Where it comes from, for the account whose address was given. */
export function originOf({ route, body, device, ip }: AuthCall): Origin {
  const isOwners =
    route.account !== undefined &&
    device?.owner.email.toLowerCase() === String(body[route.account]).trim().toLowerCase();
  return { ip, deviceId: isOwners ? (device?.id ?? null) : null };
}

/** Runs the library, which asks back from where somebody tries a code, and looks at passwords in their turn. */
export function inPlaceOf<T>(call: AuthCall, work: () => Promise<T>): Promise<T> {
  const { route, person, device, ip } = call;
  const isAhead = person !== null || originOf(call).deviceId !== null || route.id === "resetPassword";
  const known = (userId: string): Origin => {
    if (person?.userId === userId) return { ip, deviceId: sessionOf(person) };
    return { ip, deviceId: device?.owner.id === userId ? device.id : null };
  };
  return callOrigin.run(known, () => (isAhead ? aheadOfStrangers(work) : work()));
}
