import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { GraceStore } from "./grace.ts";

/** Stores one small file per license in a folder of the app. */
export class FileGraceStore implements GraceStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async load(name: string): Promise<string | null> {
    return readFile(this.#path(name), "utf8").catch(() => null);
  }

  async save(name: string, text: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const path = this.#path(name);
    const temporaryPath = `${path}.${process.pid}`;
    // Renamed into place, so that no reader sees a partial file.
    await writeFile(temporaryPath, text, { mode: 0o600 });
    await rename(temporaryPath, path);
  }

  async remove(name: string): Promise<void> {
    await rm(this.#path(name), { force: true });
  }

  #path(name: string): string {
    return join(this.#folder, `${name}.countersign`);
  }
}
