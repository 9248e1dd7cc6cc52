import { link, open, readFile, rename, rm, stat } from "node:fs/promises";
import type { Release } from "../grace-store.ts";

/** A process that holds a lock for longer than this has ended without releasing it. */
const staleMs = 10_000;
const maxWaitMs = 1_000;
const pauseMs = { min: 5, max: 25 };

/** Locks across processes with a file that only one of them can create. Throws if that takes longer than a second. */
export async function lockFile(path: string): Promise<Release> {
  const token = crypto.randomUUID();
  const endMs = performance.now() + maxWaitMs;
  for (;;) {
    try {
      await create(path, token);
      return () => release(path, token);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
    if (performance.now() > endMs) throw new Error("The file is locked by another process.");
    if (!(await removeStale(path)))
      await new Promise((resolve) =>
        setTimeout(resolve, pauseMs.min + Math.random() * (pauseMs.max - pauseMs.min)),
      );
  }
}

/** Without its token, the file would lock the entry for everyone: on a full disk, a file can be created but not written. */
async function create(path: string, token: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(token);
  } catch (error) {
    await rm(path, { force: true }).catch(() => undefined);
    throw error;
  } finally {
    await file.close();
  }
}

async function release(path: string, token: string): Promise<void> {
  // If the lock became stale, it may be another process's by now.
  if ((await readFile(path, "utf8").catch(() => null)) === token) await rm(path, { force: true });
}

/** Returns whether the lock was stale. */
async function removeStale(path: string): Promise<boolean> {
  try {
    const token = await readFile(path, "utf8");
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs < staleMs) return false;
    // Renamed first: only one process can, and it sees whether the lock was replaced in the meantime.
    const stale = `${path}.${crypto.randomUUID()}.tmp`;
    await rename(path, stale);
    if ((await readFile(stale, "utf8")) !== token) await link(stale, path).catch(() => undefined);
    await rm(stale, { force: true });
    return true;
  } catch {
    // Released in the meantime, or removed by another process.
    return true;
  }
}
