import { spawnSync } from "node:child_process";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { freshFolder } from "./databases.ts";

/** A disk of a few MB that can be filled and freed. */
export type SmallDisk = ReturnType<typeof mountSmallDisk>;

/** Null if a small disk can be mounted, otherwise what that needs. */
export function whyNoSmallDisk(): string | null {
  const folder = freshFolder();
  const { status } = mount(folder, 16);
  if (status === 0) unmount(folder);
  rmSync(folder, { recursive: true, force: true });
  return status === 0 ? null : "it needs Linux and root, to mount a small disk. Run it in a container.";
}

export function mountSmallDisk(megabytes = 16) {
  const folder = freshFolder();
  const { status, stderr } = mount(folder, megabytes);
  if (status !== 0) throw new Error(`No small disk could be mounted: ${stderr}`);
  const filler = join(folder, "filler");
  return {
    folder,
    fill: () => fill(filler),
    free: () => rmSync(filler),
    makeReadOnly: () => void spawnSync("mount", ["-o", "remount,ro", folder]),
    remove: () => {
      unmount(folder);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function mount(folder: string, megabytes: number) {
  const words = ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder];
  return spawnSync("mount", words, { encoding: "utf8" });
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
