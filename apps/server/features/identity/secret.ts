import { randomBytes } from "node:crypto";
import { initializeState, stateOf } from "@countersign/store/queries/admin/platform-state";
import type { Store } from "@countersign/store/store";

const name = "sign_in_secret";

/** The secret that signs cookies and links: created once, stored encrypted, the same on every node. */
export async function signInSecret(store: Store): Promise<string> {
  const sealed =
    (await stateOf(store.reads, name)) ??
    (await store.transaction((db) => initializeState(db, name, store.sealer.seal(randomBytes(48)))));
  return Buffer.from(store.sealer.open(sealed)).toString("base64url");
}
