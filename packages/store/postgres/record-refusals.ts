import { refusalHour } from "@countersign/domain/events/thresholds";
import type pg from "pg";
import { ipEventData, type Refusals, refusalKey } from "../batches/refusals.ts";
import { newId } from "../new-id.ts";
import { isLocked } from "./failures.ts";
import { inOneWrite } from "./one-write.ts";
import * as sql from "./sql.ts";

/**
 * Records, before the responses are sent, which rejections get events. Returns the keys of those that have their own
 * event, now or from before.
 */
export async function recordRefusals(
  client: pg.Client,
  refusals: Refusals,
  nowMs: number,
): Promise<string[]> {
  const wanted = [...refusals.values()].map((refusal) => ({
    id: newId(),
    organization_id: refusal.organizationId,
    product_id: refusal.productId,
    license_id: refusal.licenseId,
    ip: refusal.ip,
    type: refusal.type,
    count: refusal.count,
    data: ipEventData(refusal),
  }));
  const values = [JSON.stringify(wanted), refusalHour(nowMs), nowMs];
  const [, , { rows }] = await inOneWrite(client, () =>
    Promise.all([
      client.query({ name: "begin", text: "begin" }),
      client.query(sql.waitForDiskNotForLocks),
      client.query<{ type: string; license_id: string; ip: string }>({ ...sql.recordRefusals, values }),
      client.query({ name: "commit", text: "commit" }),
      // A summary locked by another session misses these: no response waits for a count.
      client.query({ ...sql.summarizeRefusals, values }).catch((error) => {
        if (!isLocked(error)) throw error;
      }),
    ]),
  );
  return rows.map(({ type, license_id: licenseId, ip }) => refusalKey(type, licenseId, ip));
}
