import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { GraceStore, Release } from "../grace-store.ts";
import { deviceId } from "./device-id.ts";
import { lockFile } from "./file-lock.ts";

export interface FileGraceStoreOptions {
  /** The device that entries are bound to, if the client has no `deviceId`. Defaults to this machine. */
  readonly deviceId?: string | undefined;
}

/** Files that a process left behind are removed after this time. */
const leftoverMs = 60_000;

/**
 * Stores one small file per license in a folder of the app. Several processes can share the folder. A copy of the folder
 * on another machine grants nothing.
 */
export class FileGraceStore implements GraceStore {
  readonly #folder: string;
  readonly #deviceId: string | undefined;
  #hasRemovedLeftovers = false;

  constructor(folder: string, options: FileGraceStoreOptions = {}) {
    this.#folder = folder;
    this.#deviceId = options.deviceId;
  }

  async deviceId(): Promise<string> {
    return this.#deviceId ?? deviceId("countersign.grace");
  }

  async load(name: string): Promise<string | null> {
    return readFile(this.#path(name), "utf8").catch(() => null);
  }

  async save(name: string, text: string): Promise<void> {
    await this.#createFolder();
    const path = this.#path(name);
    const temporaryPath = `${path}.${crypto.randomUUID()}.tmp`;
    try {
      // Renamed into place, so that no reader sees a partial file.
      await writeFile(temporaryPath, text, { mode: 0o600 });
      await rename(temporaryPath, path);
    } catch (error) {
      await rm(temporaryPath, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  async remove(name: string): Promise<void> {
    await rm(this.#path(name), { force: true });
  }

  async lock(name: string): Promise<Release> {
    await this.#createFolder();
    return lockFile(`${this.#path(name)}.lock`);
  }

  async #createFolder(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    if (this.#hasRemovedLeftovers) return;
    this.#hasRemovedLeftovers = true;
    await this.#removeLeftovers().catch(() => undefined);
  }

  /** Locks and temporary files of processes that ended while they had them. */
  async #removeLeftovers(): Promise<void> {
    const names = await readdir(this.#folder);
    for (const name of names.filter((one) => /\.countersign\..*(?:tmp|lock)$/.test(one))) {
      const path = join(this.#folder, name);
      const { mtimeMs } = await stat(path);
      if (Date.now() - mtimeMs > leftoverMs) await rm(path, { force: true });
    }
  }

  #path(name: string): string {
    return join(this.#folder, `${name}.countersign`);
  }
}
