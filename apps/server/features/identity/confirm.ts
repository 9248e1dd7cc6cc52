import { userById } from "@countersign/store/queries/identity/users";
import type { AuthenticationResponseJSON } from "@simplewebauthn/server";
import { type PersonActor, sessionOf } from "../../api/actor.ts";
import { Problem } from "../../http/problem.ts";
import type { AuthApiParts, AuthCall } from "./auth-call.ts";
import { beginConfirmation, isSignedByPasskey, newConfirmation } from "./confirmation.ts";
import { problemFrom } from "./library-problems.ts";
import { recoveryPath, totpPath } from "./second-factor.ts";

type CallLibrary = (path: string, body: object) => Promise<Response>;

/** A signed-in user proves their identity without the password. Every attempt was counted before. */
export async function confirmCall(
  call: AuthCall,
  person: PersonActor,
  { store, flood, config }: AuthApiParts,
  callLibrary: CallLibrary,
): Promise<Response> {
  const { route, body, nowMs, ip } = call;
  if (route.id === "beginConfirmation")
    return Response.json(await beginConfirmation(store, person, config.url, nowMs));
  if (body.code !== undefined) {
    const user = await userById(store.reads, person.userId);
    // A first code would enable two-factor authentication that was only started.
    if (user?.two_factor_enabled !== 1) throw new Problem("second_factor_off");
    await checkCode(call, String(body.code), callLibrary);
    await flood.accounts.clearFailures("second_factor", person.userId, { ip, deviceId: sessionOf(person) });
  } else {
    const response = body.response as AuthenticationResponseJSON;
    if (!(await isSignedByPasskey(store, person, response, config.url, nowMs)))
      throw new Problem("passkey_rejected");
  }
  await flood.accounts.clearFailures("password", sessionOf(person), { ip, deviceId: null });
  return Response.json(await newConfirmation(store, person, nowMs));
}

/** The library checks codes, and marks each as used. */
async function checkCode(call: AuthCall, code: string, callLibrary: CallLibrary): Promise<void> {
  const path = /^\d{6}$/.test(code) ? totpPath : recoveryPath;
  const response = await callLibrary(path, { code });
  if (response.status >= 400) throw await problemFrom(response, call.route);
}
