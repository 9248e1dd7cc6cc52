import {
  accessSync,
  constants,
  existsSync,
  rmSync,
  type Stats,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Config } from "../../base/config.ts";
import { reasonOf } from "../../base/log.ts";
import { shellWord } from "../../base/shell-word.ts";
import { type Check, ok, problem, warning } from "./check.ts";

/** Earlier than the first release, or implausibly late: certificates, expiry and quota days would all be wrong. */
const plausibleYears = { first: 2025, last: 2099 };
const oldestBun = [1, 4] as const;

export function checkRuntime(versions: Readonly<Record<string, string | undefined>>): Check {
  const bun = versions.bun;
  if (bun === undefined) {
    return problem(
      "runtime",
      "This is not running on Bun.",
      "Start it with npm start or npm run countersign.",
    );
  }
  const [major = 0, minor = 0] = bun.split(".").map(Number);
  const current = major > oldestBun[0] || (major === oldestBun[0] && minor >= oldestBun[1]);
  return current
    ? ok("runtime", `Bun ${bun}, compatible with Node.js ${versions.node}.`)
    : warning(
        "runtime",
        `Bun ${bun} is older than ${oldestBun.join(".")}, which this release is tested with.`,
        "Run npm ci.",
      );
}

export function checkYear(nowMs: number): Check {
  const now = new Date(nowMs);
  const year = now.getUTCFullYear();
  return year >= plausibleYears.first && year <= plausibleYears.last
    ? ok("clock", `This machine's clock is at ${now.toISOString()}.`)
    : problem("clock", `This machine's clock is in the year ${year}.`, "Set its clock, preferably with NTP.");
}

const tolerableMs = 2_000;
const intolerableMs = 60_000;

/** Expiry and quota days follow the database's clock; log lines and sessions follow this machine's. */
export function checkClockDifference(aheadMs: number): Check {
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(1);
  const message = `The database's clock is ${seconds} seconds ${aheadMs < 0 ? "behind" : "ahead of"} this machine's.`;
  const action = "Synchronize both clocks with NTP.";
  if (Math.abs(aheadMs) <= tolerableMs) return ok("clock", "The database's clock and this machine's agree.");
  return Math.abs(aheadMs) <= intolerableMs
    ? warning("clock", message, action)
    : problem("clock", message, action);
}

const gibibyte = 1024 ** 3;
const minFreeBytes = gibibyte;
const minFreeShare = 0.05;

/** Whether the data folder is writable, and who else can read it. `user` is null on systems without user IDs. */
export function checkFolder({ dataFolder, database }: Config, user: number | null): Check[] {
  if (!existsSync(dataFolder)) {
    return database.kind === "postgres" ? [] : [checkParent(dataFolder)];
  }
  const stats = statSync(dataFolder);
  if (!stats.isDirectory()) {
    return [problem("folder", `${dataFolder} is not a folder.`, "Set COUNTERSIGN_DATA to a folder.")];
  }
  const written = tryToWrite(dataFolder);
  if (written !== null) {
    const message = `The data folder ${dataFolder}, which belongs to user ${stats.uid}, cannot be written: ${written}.`;
    const action =
      "Make it writable for the user who runs the server, or set COUNTERSIGN_DATA to another folder.";
    return [problem("folder", message, action)];
  }
  return [privacy(dataFolder, stats, user)];
}

export function checkDisk({ dataFolder, database }: Config): Check[] {
  if (database.kind === "postgres" && !existsSync(dataFolder)) {
    return [ok("disk", "The data is in PostgreSQL. Monitor the disk of that machine.")];
  }
  const { bavail, blocks, bsize } = statfsSync(nearestExisting(dataFolder));
  return [freeSpace(bavail * bsize, blocks * bsize)];
}

export function freeSpace(freeBytes: number, totalBytes: number): Check {
  const share = totalBytes === 0 ? 1 : freeBytes / totalBytes;
  const message = `${(freeBytes / gibibyte).toFixed(1)} GiB (${Math.floor(share * 100)} %) of the data folder's disk are free.`;
  return freeBytes < minFreeBytes || share < minFreeShare
    ? warning(
        "disk",
        message,
        "Free up space, or move COUNTERSIGN_DATA to a larger disk. A full disk stops all writes.",
      )
    : ok("disk", message);
}

function checkParent(folder: string): Check {
  const parent = nearestExisting(folder);
  try {
    accessSync(parent, constants.W_OK | constants.X_OK);
    return ok("folder", `The data folder ${folder} does not exist yet. The first start creates it.`);
  } catch {
    const action = `Make ${parent} writable, or set COUNTERSIGN_DATA to another folder.`;
    return problem("folder", `The data folder ${folder} does not exist and cannot be created.`, action);
  }
}

function privacy(folder: string, stats: Stats, user: number | null): Check {
  if (user !== null && (stats.mode & 0o077) !== 0) {
    const message = `Other users of this machine can access the data folder ${folder}, which contains secrets.`;
    return warning("folder", message, `Run: chmod 700 ${shellWord(folder)}`);
  }
  if (user !== null && stats.uid !== user) {
    const message = `The data folder ${folder} belongs to user ${stats.uid}, but this command runs as user ${user}.`;
    const action =
      "Run commands as the user who runs the server; otherwise it may not be able to read what they write.";
    return warning("folder", message, action);
  }
  return ok("folder", `The data folder ${folder} is writable and private.`);
}

function tryToWrite(folder: string): string | null {
  const probe = join(folder, `doctor-${process.pid}.tmp`);
  try {
    writeFileSync(probe, "x".repeat(4096), { flag: "wx" });
    rmSync(probe);
    return null;
  } catch (error) {
    return reasonOf(error);
  }
}

function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));
}
