import { spawnSync } from "node:child_process";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { freshFolder } from "./databases.ts";

/** A disk of a few MB that can be filled and freed. */
export interface SmallDisk {
  readonly folder: string;
  /** Writes until the disk is full. */
  fill(): void;
  free(): void;
  remove(): void;
}

/** Null if a small disk can be mounted, otherwise the reason why not. */
export function whyNoSmallDisk(): string | null {
  const folder = freshFolder();
  try {
    const problem = mount(folder, 16);
    if (problem === null) unmount(folder);
    return problem;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function mountSmallDisk(megabytes = 16): SmallDisk {
  const folder = freshFolder();
  const problem = mount(folder, megabytes);
  if (problem !== null) throw new Error(`No small disk: ${problem}`);
  const filler = join(folder, "filler");
  return {
    folder,
    fill: () => fill(filler),
    free: () => rmSync(filler),
    remove: () => {
      unmount(folder);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function mount(folder: string, megabytes: number): string | null {
  const { status, stderr, error } = spawnSync(
    "mount",
    ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder],
    {
      encoding: "utf8",
    },
  );
  return status === 0 ? null : (error?.message ?? stderr.trim());
}

function unmount(folder: string): void {
  spawnSync("umount", ["-l", folder]);
}

/** Writes until the disk is full, in ever smaller pieces. */
function fill(path: string): void {
  const descriptor = openSync(path, "w");
  try {
    for (let bytes = 1 << 20; bytes >= 1; bytes >>= 1) while (fits(descriptor, bytes));
  } finally {
    closeSync(descriptor);
  }
}

function fits(descriptor: number, bytes: number): boolean {
  try {
    return writeSync(descriptor, Buffer.alloc(bytes, 1)) === bytes;
  } catch {
    return false;
  }
}
