import { hash, randomBytes } from "node:crypto";
import { addState, dropStates, lockSetup, statesOf } from "@countersign/store/queries/admin/platform-state";
import { anyUserExists } from "@countersign/store/queries/identity/users";
import type { Database, Store } from "@countersign/store/store";

export const setupLinkMinutes = 30;
const prefix = "setup-link:";

/**
 * A token for creating the first account; null if there is one. Every node creates its own at startup, and each of them
 * works: the first that is used invalidates them all.
 */
export async function createSetupToken(store: Store, nowMs: number): Promise<string | null> {
  if (await anyUserExists(store.reads)) return null;
  const token = randomBytes(32).toString("base64url");
  await store.transaction(async (db) => {
    const old = (await statesOf(db, prefix)).filter((link) => Number(link.value) <= nowMs);
    await dropStates(
      db,
      old.map((link) => link.name),
    );
    await addState(db, nameOf(token), String(nowMs + setupLinkMinutes * 60_000));
  });
  return token;
}

export async function isValidSetupToken(db: Database, token: string, nowMs: number): Promise<boolean> {
  const links = await statesOf(db, prefix);
  return links.some((link) => link.name === nameOf(token) && Number(link.value) > nowMs);
}

/**
 * Uses up the token, and with it every other, inside the transaction that creates the account. False if it is invalid
 * or someone else was faster.
 */
export async function useSetupToken(db: Database, token: string, nowMs: number): Promise<boolean> {
  await lockSetup(db);
  if (await anyUserExists(db)) return false;
  if (!(await isValidSetupToken(db, token, nowMs))) return false;
  await dropSetupTokens(db);
  return true;
}

export async function dropSetupTokens(db: Database): Promise<void> {
  const links = await statesOf(db, prefix);
  await dropStates(
    db,
    links.map((link) => link.name),
  );
}

function nameOf(token: string): string {
  return prefix + hash("sha256", token, "hex");
}
