import { refusalHour } from "@countersign/domain/events/refusal";
import type pg from "pg";
import { newId } from "../new-id.ts";
import { addressData, type Refusals } from "../refusals.ts";
import { inOneWrite } from "./one-write.ts";
import * as sql from "./sql.ts";

/** Writes down, before the answers leave, which refusals are to be told. */
export async function tellRefusals(client: pg.Client, refusals: Refusals, nowMs: number): Promise<void> {
  const wanted = [...refusals.values()].map((refusal) => ({
    id: newId(),
    organization_id: refusal.organizationId,
    product_id: refusal.productId,
    license_id: refusal.licenseId,
    ip: refusal.ip,
    type: refusal.type,
    data: addressData(refusal),
  }));
  await inOneWrite(client, () =>
    Promise.all([
      client.query({ name: "begin", text: "begin" }),
      client.query(sql.waitForDiskNotForLocks),
      client.query({ ...sql.tellRefusals, values: [JSON.stringify(wanted), refusalHour(nowMs), nowMs] }),
      client.query({ name: "commit", text: "commit" }),
    ]),
  );
}
