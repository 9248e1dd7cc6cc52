import { hash } from "node:crypto";
import { takeAttempt } from "@countersign/store/queries/identity/attempts";
import type { Store } from "@countersign/store/store";

/** Longer than a flow lasts, in the dashboard and in the portal. */
const rememberedMs = 15 * 60_000;

/**
 * Whether this is the first return from Discord with this state. The state is a secret that only the browser that started
 * knows, and a copy of its cookie must not sign in once more. One statement, so exactly one of several returns is first, on
 * any number of nodes. Called once the state is that of the browser: otherwise anyone could use it up, and write rows.
 */
export async function isFirstReturn(store: Store, state: string, nowMs: number): Promise<boolean> {
  const name = `discord_state:${hash("sha256", state, "base64url")}`;
  const once = { burst: 1, everyMs: rememberedMs };
  return (await store.transaction((db) => takeAttempt(db, name, once, nowMs))).taken;
}
