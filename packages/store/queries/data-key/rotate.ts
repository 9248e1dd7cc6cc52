import { randomBytes } from "node:crypto";
import { StoreProblem } from "../../errors/problem.ts";
import { openDataKey, storedForm } from "../../secrets/data-key.ts";
import { type KeyRotation, keyId, keyStates, keysAmong, type StoredKeys } from "../../secrets/key-ring.ts";
import { Sealer } from "../../secrets/sealer.ts";
import type { Database, Store } from "../../store.ts";
import { lockSetup, setState, statesNamed } from "../admin/platform-state.ts";
import { type Resealed, resealEverything } from "./sealed-values.ts";

interface RotateOptions {
  /** What protects the data key, before and after. */
  readonly encryptionKey: string | null;
  /** How long every server takes at most to learn of a step: longer than `reloadEveryMs`. */
  readonly waitMs: number;
  readonly onStep?: (step: "announced" | "writing" | "checking") => void;
}

/**
 * Replaces the data key and seals every secret again, while servers run. Each step is stored, so it can be repeated
 * after an interruption, from any machine, and a secret can be opened at every moment.
 */
export async function rotateDataKey(
  store: Store,
  { encryptionKey, waitMs, onStep = () => {} }: RotateOptions,
): Promise<Resealed> {
  const { base, next, state } = await begin(store, encryptionKey);
  if (state === "announced") {
    onStep("announced");
    await wait(waitMs);
    await store.transaction((db) => startWriting(db, encryptionKey, next));
  }
  onStep("writing");
  await wait(waitMs);
  const [before, after] = [new Sealer(base), new Sealer(next)];
  const { sealed, unreadable } = await resealEverything(store, before, after);
  // A server that was slow to learn of the new key may have written with the old one meanwhile.
  let total = sealed;
  for (let rest = 1; rest > 0; total += rest) {
    onStep("checking");
    await wait(waitMs);
    rest = (await resealEverything(store, before, after)).sealed;
  }
  await store.transaction((db) => finish(db, encryptionKey, next));
  return { sealed: total, unreadable };
}

/** Protects the same data key with another passphrase. Servers that run keep working, and need it at their next start. */
export async function changeEncryptionKey(
  store: Store,
  encryptionKey: string | null,
  newKey: string,
): Promise<void> {
  await store.transaction(async (db) => {
    const { dataKey } = await storedKeys(db);
    await setState(db, "data_key", storedForm(openDataKey(dataKey, encryptionKey).key, newKey));
  });
}

interface Begun {
  readonly base: Uint8Array;
  readonly next: Uint8Array;
  readonly state: "announced" | "writing";
}

/** Continues a rotation that was interrupted. */
function begin(store: Store, encryptionKey: string | null): Promise<Begun> {
  return store.transaction(async (db) => {
    const { dataKey, rotation } = await storedKeys(db);
    const base = openDataKey(dataKey, encryptionKey).key;
    if (rotation !== null && rotation.state !== "done")
      return { base, next: new Sealer(base).open(rotation.next), state: rotation.state };
    const next = randomBytes(32);
    await writeRotation(db, { state: "announced", next: new Sealer(base).seal(next) });
    return { base, next, state: "announced" };
  });
}

async function startWriting(db: Database, encryptionKey: string | null, next: Uint8Array): Promise<void> {
  const { dataKey, rotation } = await ofThis(db, encryptionKey, next);
  if (rotation.state !== "announced") return;
  const base = openDataKey(dataKey, encryptionKey).key;
  await writeRotation(db, { state: "writing", next: new Sealer(base).seal(next) });
}

async function finish(db: Database, encryptionKey: string | null, next: Uint8Array): Promise<void> {
  await ofThis(db, encryptionKey, next);
  await setState(db, "data_key", storedForm(next, encryptionKey));
  await writeRotation(db, { state: "done", id: keyId(next) });
}

/** The stored keys, if they are still those of this rotation. */
async function ofThis(db: Database, encryptionKey: string | null, next: Uint8Array) {
  const { dataKey, rotation } = await storedKeys(db);
  if (rotation !== null && rotation.state !== "done") {
    const stored = new Sealer(openDataKey(dataKey, encryptionKey).key).open(rotation.next);
    if (keyId(stored) === keyId(next)) return { dataKey, rotation };
  }
  throw new StoreProblem(
    "Another countersign rotate-encryption-key has finished meanwhile. Nothing is left to do.",
  );
}

/** Locked until the transaction ends. */
async function storedKeys(db: Database): Promise<StoredKeys> {
  await lockSetup(db);
  const states = await statesNamed(db, keyStates);
  return keysAmong([...states].map(([name, value]) => ({ name, value })));
}

function writeRotation(db: Database, rotation: KeyRotation): Promise<void> {
  return setState(db, "data_key_rotation", JSON.stringify(rotation));
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
