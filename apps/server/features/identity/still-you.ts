import { passwordHashOf, sessionOpenedAt } from "@countersign/store/queries/sign-in";
import type { Store } from "@countersign/store/store";
import { type PersonActor, sessionOf } from "../../http/manage/actor.ts";
import { invalid, Problem } from "../../http/manage/problem.ts";
import { takeConfirmation } from "./confirmation.ts";
import type { FloodLimits } from "./flood-limits.ts";
import { aheadOfStrangers, verifyPassword } from "./passwords.ts";

/** For so long a sign-in stands for the password, for people who have none. */
const freshForMs = 10 * 60_000;

export interface Proof {
  readonly store: Store;
  readonly flood: FloodLimits;
  readonly actor: PersonActor;
  readonly password: string | undefined;
  /** What confirming with a passkey or a code answered. */
  readonly confirmation: string | undefined;
  readonly ip: string | null;
  readonly nowMs: number;
}

/**
 * Before something is added with which an account can be opened: a session may be somebody else's by now, at a
 * computer that was left open or by a stolen cookie. The password shows that it is not, or a passkey or code that was
 * given just now; without a password, a new sign-in does too. An access token was given in exchange for such a proof, and is not asked again.
 */
export async function checkStillYou(proof: Proof): Promise<void> {
  const { store, flood, actor, password, ip } = proof;
  if ("token" in actor.by) return;
  if (proof.confirmation !== undefined) return checkConfirmation(proof, proof.confirmation);
  const stored = await passwordHashOf(store.reads, actor.userId);
  if (stored === null) return checkFresh(proof);
  if (password === undefined) throw invalid("password", "is missing");
  await flood.check("password", ip, sessionOf(actor));
  if (!(await aheadOfStrangers(() => verifyPassword(password, stored))))
    throw new Problem("wrong_credentials", "The password is not right.");
  await flood.accounts.forgive("password", sessionOf(actor), { ip, deviceId: null });
}

/** The same where the sign-in library looks at the password itself. */
export async function checkFreshWithoutPassword(proof: Proof): Promise<void> {
  if ((await passwordHashOf(proof.store.reads, proof.actor.userId)) !== null) return;
  if (proof.confirmation === undefined) await checkFresh(proof);
  else await checkConfirmation(proof, proof.confirmation);
}

async function checkConfirmation(proof: Proof, confirmation: string): Promise<void> {
  const { store, flood, actor, ip, nowMs } = proof;
  await flood.check("password", ip, sessionOf(actor));
  if (!(await takeConfirmation(store, actor, confirmation, nowMs)))
    throw new Problem(
      "wrong_credentials",
      "The confirmation is not valid: it was used, has expired, or belongs to another session. Confirm again.",
    );
  await flood.accounts.forgive("password", sessionOf(actor), { ip, deviceId: null });
}

async function checkFresh({ store, actor, nowMs }: Proof): Promise<void> {
  const openedAtMs = await sessionOpenedAt(store.reads, sessionOf(actor));
  if (openedAtMs !== null && openedAtMs > nowMs - freshForMs) return;
  throw new Problem("forbidden", "Sign in again to do this: your session is older than ten minutes.");
}
