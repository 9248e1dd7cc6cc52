import { AsyncLocalStorage } from "node:async_hooks";
import { sessionOf } from "../../api/actor.ts";
import { networkOf } from "../../http/caller-ip.ts";
import type { Origin } from "../../limits/account-limits.ts";
import type { AuthCall } from "./auth-call.ts";
import { checkingPasswordsOf } from "./passwords.ts";

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
  const known = (userId: string): Origin => {
    if (person?.userId === userId) return { ip, deviceId: sessionOf(person) };
    return { ip, deviceId: device?.owner.id === userId ? device.id : null };
  };
  return callOrigin.run(known, () => checkingPasswordsOf({ isKnown, network: networkOf(ip) }, work));
}
