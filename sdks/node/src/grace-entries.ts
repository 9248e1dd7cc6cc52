import { hex, isEqual, utf8 } from "./bytes.ts";
import type { GraceStore } from "./grace-store.ts";
import type { ValidateResult } from "./result.ts";
import { hmacSha256, sha256 } from "./sha256.ts";

/** What is stored for one license, for all versions and devices. */
export interface StoredGrants {
  /** The latest time ever seen: an earlier clock was set back. */
  readonly seenWallMs: number;
  /** By request, newest last. */
  readonly grants: Readonly<Record<string, Grant>>;
}

export interface Grant {
  readonly result: ValidateResult<unknown>;
  readonly grantedAtWallMs: number;
}

/** Reads and writes the entries of a store. Each is authenticated, and bound to its license and a device. */
export class GraceEntries {
  readonly #store: GraceStore;
  readonly #secret: Uint8Array;
  readonly #clientDeviceId: string | null;
  #deviceId: Promise<string> | null = null;

  constructor(store: GraceStore, apiKey: string, deviceId: string | null) {
    this.#store = store;
    this.#secret = sha256(utf8(`countersign.grace.v1\n${apiKey}`));
    this.#clientDeviceId = deviceId;
  }

  /** Runs the work while no other user of the store changes this entry. */
  async locked<T>(license: string, work: () => Promise<T>): Promise<T> {
    const release = await this.#store.lock?.(this.nameOf(license));
    try {
      return await work();
    } finally {
      await release?.();
    }
  }

  /** Null for anything this client did not write, or wrote for another license or device. */
  async load(license: string): Promise<StoredGrants | null> {
    const text = await this.#store.load(this.nameOf(license));
    if (text === null) return null;
    const content = text.slice(65);
    const expected = await this.#mac(license, content);
    return isEqual(utf8(text.slice(0, 64)), utf8(expected)) ? (JSON.parse(content) as StoredGrants) : null;
  }

  async save(license: string, stored: StoredGrants): Promise<void> {
    const text = JSON.stringify(stored);
    await this.#store.save(this.nameOf(license), `${await this.#mac(license, text)}.${text}`);
  }

  async remove(license: string): Promise<void> {
    await this.#store.remove(this.nameOf(license));
  }

  /** Reveals nothing about the license key, and differs for products that share a store. */
  nameOf(text: string): string {
    return hex(hmacSha256(this.#secret, utf8(text))).slice(0, 32);
  }

  async #mac(license: string, text: string): Promise<string> {
    const binding = JSON.stringify([license, await this.#boundDevice()]);
    return hex(hmacSha256(this.#secret, utf8(`${binding}\n${text}`)));
  }

  #boundDevice(): Promise<string> {
    this.#deviceId ??= Promise.resolve(this.#clientDeviceId ?? this.#store.deviceId?.() ?? "").catch(
      (error) => {
        // The next attempt may succeed.
        this.#deviceId = null;
        throw error;
      },
    );
    return this.#deviceId;
  }
}
