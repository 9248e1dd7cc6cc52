import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type DatabaseLocation, openStore } from "@countersign/store/open";
import { countedRequests } from "../support/public-api-fixture.ts";
import { startServerProcess } from "../support/server-process.ts";
import { mountSmallDisk } from "../support/small-disk.ts";
import { until } from "../support/until.ts";
import { holds } from "./assert-holds.ts";
import { checkConsistency } from "./consistency-check.ts";
import { makeSubjects, type Subjects } from "./subjects.ts";
import { Traffic } from "./traffic.ts";

/**
 * Fills the disk under SQLite and frees it again. No request is admitted uncounted, and service resumes
 * automatically.
 */
export async function fillTheDisk(size: { callers: number; fullForMs: number }): Promise<string> {
  const disk = mountSmallDisk();
  const folder = join(disk.folder, "data");
  mkdirSync(folder);
  const location = { kind: "sqlite", folder } as const;
  try {
    const subjects = await makeSubjects(location, 20);
    const traffic = new Traffic(subjects);
    const server = await startServerProcess({ COUNTERSIGN_DATA: folder });
    try {
      traffic.start(server.port, size.callers, 2);
      await until("there is traffic", () => traffic.acknowledged >= 50, 60_000);
      disk.fill();
      const freedAtMs = performance.now() + size.fullForMs;
      await until("callers get 503", () => traffic.unavailable >= 20, 60_000);
      await until("callers get 503 for a while", () => performance.now() >= freedAtMs, 60_000);
      disk.free();
      const enough = traffic.acknowledged + 100;
      await until("traffic resumes", () => traffic.acknowledged >= enough, 60_000);
      await traffic.stop();
      const lost = traffic.lostReused + traffic.lostFresh;
      holds(lost === 0, `${lost} requests got no answer at all`);
      holds(
        server.output().includes('"reason":"The disk is full. '),
        "the log does not say that the disk is full",
      );
      await checkConsistency(location, subjects, traffic);
    } finally {
      await traffic.stop();
      await server.stop();
    }
    await checkConsistency(location, subjects, traffic);
    await checkNothingElseCounted(location, subjects, traffic);
    return `${traffic.sent} sent, ${traffic.acknowledged} verdicts, ${traffic.unavailable} told to wait`;
  } finally {
    disk.remove();
  }
}

/** A call that got 503 uses no quota. */
async function checkNothingElseCounted(
  location: DatabaseLocation,
  { productId }: Subjects,
  { acknowledged }: Traffic,
): Promise<void> {
  const store = await openStore(location, { encryptionKey: null, durability: "standard" });
  try {
    const counted = await countedRequests({ store, productId });
    holds(counted === acknowledged, `${counted} counted, but ${acknowledged} acknowledged`);
  } finally {
    await store.close();
  }
}
