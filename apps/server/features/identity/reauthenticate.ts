import { passwordHashOf, sessionOpenedAt } from "@countersign/store/queries/identity/sign-in";
import type { Store } from "@countersign/store/store";
import { type PersonActor, sessionOf } from "../../api/actor.ts";
import { networkOf } from "../../http/caller-ip.ts";
import { invalid, Problem } from "../../http/problem.ts";
import type { FloodLimits } from "../../limits/flood-limits.ts";
import { takeConfirmation } from "./confirmation.ts";
import { checkingPasswordsOf, verifyPassword } from "./passwords.ts";

/** How long a sign-in replaces the password, for people who have none. */
const freshForMs = 10 * 60_000;

interface Proof {
  readonly store: Store;
  readonly flood: FloodLimits;
  readonly actor: PersonActor;
  readonly password: string | undefined;
  /** The result of confirming with a passkey or a code. */
  readonly confirmation: string | undefined;
  readonly ip: string | null;
  readonly nowMs: number;
}

/**
 * Required before a way to sign in is added: the session may be in someone else's hands, at an unlocked computer or
 * through a stolen cookie. The password proves otherwise, or a recent confirmation by passkey or code; for an account
 * without a password, a recent sign-in does too. An access token was given in exchange for such a proof, and is not
 * asked again.
 */
export async function checkReauthenticated(proof: Proof): Promise<void> {
  const { store, flood, actor, password, ip } = proof;
  if ("token" in actor.by) return;
  if (proof.confirmation !== undefined) return checkConfirmation(proof, proof.confirmation);
  const stored = await passwordHashOf(store.reads, actor.userId);
  if (stored === null) return checkFresh(proof);
  if (password === undefined) throw invalid("password", "missing");
  await flood.check("password", ip, sessionOf(actor));
  const owner = { isKnown: true, network: networkOf(ip) };
  const isRight = await checkingPasswordsOf(owner, () => verifyPassword(password, stored));
  if (!isRight) throw new Problem("wrong_password");
  await flood.accounts.clearFailures("password", sessionOf(actor), { ip, deviceId: null });
}

/** The same if the sign-in library checks the password itself. */
export async function checkFreshWithoutPassword(proof: Proof): Promise<void> {
  if ((await passwordHashOf(proof.store.reads, proof.actor.userId)) !== null) return;
  if (proof.confirmation === undefined) await checkFresh(proof);
  else await checkConfirmation(proof, proof.confirmation);
}

async function checkConfirmation(proof: Proof, confirmation: string): Promise<void> {
  const { store, flood, actor, ip, nowMs } = proof;
  await flood.check("password", ip, sessionOf(actor));
  if (!(await takeConfirmation(store, actor, confirmation, nowMs))) throw new Problem("invalid_confirmation");
  await flood.accounts.clearFailures("password", sessionOf(actor), { ip, deviceId: null });
}

async function checkFresh({ store, actor, nowMs }: Proof): Promise<void> {
  const openedAtMs = await sessionOpenedAt(store.reads, sessionOf(actor));
  if (openedAtMs !== null && openedAtMs > nowMs - freshForMs) return;
  throw new Problem("recent_sign_in_required");
}
