import * as contract from "@countersign/contract/manage/admin";
import { countAll, countUnsentEmails, lastRequestAt } from "@countersign/store/queries/admin/platform";
import { countEveryLicense } from "@countersign/store/queries/licenses/stored-counts";
import { type BoundRoute, bind } from "../../api/context.ts";
import { iso } from "../../api/page.ts";
import { release } from "../../base/release.ts";

const most = 1_000_000;

export const healthRoutes: readonly BoundRoute[] = [
  bind(contract.getPlatformHealth, async ({ store }) => {
    const startedMs = performance.now();
    await store.ping();
    const latencyMs = performance.now() - startedMs;
    const clockOffsetMs = Math.round((await store.clock()) - Date.now());
    return {
      version: release,
      uptime_seconds: Math.floor(process.uptime()),
      database: {
        kind: store.kind,
        latency_ms: Math.round(latencyMs * 1000) / 1000,
        clock_offset_ms: clockOffsetMs,
      },
      request_log: { last_entry_at: iso(await lastRequestAt(store.reads)) },
      outbox: { unsent: await countUnsentEmails(store.reads) },
      counts: {
        organizations: await countAll(store.reads, "organizations", most),
        products: await countAll(store.reads, "products", most),
        licenses: await countEveryLicense(store.reads),
        users: await countAll(store.reads, "users", most),
      },
    };
  }),
];
