import { createHash } from "node:crypto";
import { openDataKey } from "./data-key.ts";
import { Sealer } from "./sealer.ts";

/** Servers look for another data key this often. Whoever replaces it waits longer than that after each step. */
export const reloadEveryMs = 2_000;

/**
 * The replacement of the data key, as stored beside it. First it is `announced`: everyone can open what is sealed with
 * the new key. Then `writing`: everyone seals with it, and older values are sealed again. When it is `done`, the stored
 * data key is the new one, and nothing needs the old one any more. The new key is sealed with the old one, so a server
 * needs no passphrase to learn of it, and the passphrase protects both.
 */
export type KeyRotation =
  | { readonly state: "announced" | "writing"; readonly next: string }
  | { readonly state: "done"; readonly id: string };

export const keyStates = ["data_key", "data_key_rotation"] as const;

export interface StoredKeys {
  readonly dataKey: string;
  readonly rotation: KeyRotation | null;
}

/** From rows of `platform_state`. */
export function keysAmong(rows: readonly { readonly name: string; readonly value: string }[]): StoredKeys {
  const stored = (name: (typeof keyStates)[number]) => rows.find((row) => row.name === name)?.value;
  const rotation = stored("data_key_rotation");
  return {
    dataKey: stored("data_key") ?? "",
    rotation: rotation === undefined ? null : (JSON.parse(rotation) as KeyRotation),
  };
}

/** Tells keys apart without showing anything of them. */
export function keyId(key: Uint8Array): string {
  return createHash("sha256").update("countersign.key-id.v1\n").update(key).digest("base64url").slice(0, 16);
}

export interface KnownKey {
  readonly dataKey: Uint8Array;
  readonly storedDataKey: string;
}

/** A data key that changes while servers run. Its sealer opens what was sealed with any key that it has known. */
export class KeyRing {
  readonly sealer: Sealer;
  readonly #passphrase: string | null;
  #known: KnownKey;
  /** The one that seals is the first. */
  #keys: readonly Uint8Array[];

  constructor(known: KnownKey, passphrase: string | null, unreadable: () => void) {
    this.#known = known;
    this.#passphrase = passphrase;
    this.#keys = [known.dataKey];
    this.sealer = new Sealer(known.dataKey, unreadable);
  }

  /** The stored key, as far as it is known here. */
  get known(): KnownKey {
    return this.#known;
  }

  reload({ dataKey: stored, rotation }: StoredKeys): void {
    if (stored !== this.#known.storedDataKey) this.#learn(stored, rotation);
    const { dataKey } = this.#known;
    if (rotation === null || rotation.state === "done") this.#use([dataKey]);
    else {
      const next = new Sealer(dataKey).open(rotation.next);
      this.#use(rotation.state === "announced" ? [dataKey, next] : [next, dataKey]);
    }
  }

  /** Another one is stored: the next one of a rotation, or the same one with another passphrase. */
  #learn(stored: string, rotation: KeyRotation | null): void {
    const announced =
      rotation?.state === "done" ? this.#keys.find((key) => keyId(key) === rotation.id) : undefined;
    if (announced !== undefined) this.#known = { dataKey: announced, storedDataKey: stored };
    else
      try {
        this.#known = { dataKey: openDataKey(stored, this.#passphrase).key, storedDataKey: stored };
      } catch {
        // The passphrase was changed, and this server has yet to be restarted with it. Its key is the same.
        this.#known = { ...this.#known, storedDataKey: stored };
      }
  }

  #use(keys: readonly Uint8Array[]): void {
    const ids = new Set(keys.map(keyId));
    // What was read before is opened with what it was sealed with.
    this.#keys = [...keys, ...this.#keys.filter((key) => !ids.has(keyId(key)))].slice(0, maxKeys);
    this.sealer.use(this.#keys);
  }
}

/** Of several rotations in the life of a process, the last ones. */
const maxKeys = 4;
