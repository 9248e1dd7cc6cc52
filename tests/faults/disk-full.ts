import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { startServerProcess } from "../support/server-process.ts";
import { mountSmallDisk } from "../support/small-disk.ts";
import { until } from "../support/until.ts";
import { holds, holdsNone } from "./assert-holds.ts";
import { openTraffic } from "./consistency-check.ts";

/**
 * Fills the disk under SQLite and frees it again. No request is admitted uncounted, and service resumes
 * automatically.
 */
export async function fillTheDisk(size: { callers: number; fullForMs: number }): Promise<string> {
  const disk = mountSmallDisk();
  const folder = join(disk.folder, "data");
  mkdirSync(folder);
  try {
    const traffic = await openTraffic({ kind: "sqlite", folder });
    const server = await startServerProcess({ COUNTERSIGN_DATA: folder });
    try {
      traffic.start(server.port, size.callers, 2);
      await traffic.flows(50);
      disk.fill();
      const freedAtMs = performance.now() + size.fullForMs;
      await until("callers get 503", () => traffic.unavailable >= 20, 60_000);
      await until("callers get 503 for a while", () => performance.now() >= freedAtMs, 60_000);
      disk.free();
      await traffic.flows(100, "traffic resumes");
      await traffic.stop();
      holdsNone(traffic.problems, "callers saw");
      const isNamed = server.output().includes('"reason":"The disk is full. ');
      holds(isNamed, "the log does not say that the disk is full");
      await traffic.check();
    } finally {
      await traffic.stop();
      await server.stop();
    }
    const counted = await traffic.check();
    const { sent, acknowledged, unavailable } = traffic;
    // A call that got 503 uses no quota.
    holds(counted === acknowledged, `${counted} counted, but ${acknowledged} acknowledged`);
    return `${sent} sent, ${acknowledged} verdicts, ${unavailable} told to wait`;
  } finally {
    disk.remove();
  }
}
