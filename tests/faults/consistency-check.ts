import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type DatabaseLocation, openStore } from "@countersign/store/open";
import { requestLog } from "../support/request-log.ts";
import { holds } from "./assert-holds.ts";
import { type Subjects, slotsEach } from "./subjects.ts";
import type { Traffic } from "./traffic.ts";

/** Compares the responses that callers received with the database. Throws at the first difference. */
export async function checkConsistency(
  location: DatabaseLocation,
  subjects: Subjects,
  traffic: Traffic,
): Promise<void> {
  holds(traffic.wrong.length === 0, `wrong answers: ${traffic.wrong.slice(0, 3).join("; ")}`);
  const store = await openStore(location, { encryptionKey: null, durability: "standard" });
  try {
    const { reads } = store;
    const usage = await reads
      .selectFrom("daily_usage")
      .select("used")
      .where("product_id", "=", subjects.productId)
      .execute();
    const counted = usage.reduce((sum, { used }) => sum + Number(used), 0);
    holds(traffic.acknowledged <= counted, `${traffic.acknowledged} acknowledged, only ${counted} counted`);
    holds(counted <= traffic.sent, `${counted} counted, only ${traffic.sent} sent`);

    const rows = await reads.selectFrom("license_ips").select(["license_id", "ip"]).execute();
    const registered = new Set(rows.map(({ license_id, ip }) => `${license_id} ${ip}`));
    for (const { licenseId, ip } of traffic.registrations) {
      holds(registered.has(`${licenseId} ${ip}`), `${ip} was told that it is registered and is not`);
    }
    const licenses = await reads.selectFrom("licenses").select(["id", "ip_count"]).execute();
    for (const { id, ip_count } of licenses) {
      const slots = rows.filter((row) => row.license_id === id).length;
      holds(slots <= slotsEach, `${slots} addresses hold one of ${slotsEach} places`);
      holds(slots === ip_count, `${slots} addresses, but the license counts ${ip_count}`);
    }
  } finally {
    await store.close();
  }
  if (location.kind === "sqlite") checkIntegrity(location.folder);
}

/** Every verdict that a caller received is in the request log. */
export async function checkRequestLog(location: DatabaseLocation, traffic: Traffic): Promise<void> {
  const store = await openStore(location, { encryptionKey: null, durability: "standard" });
  try {
    const rows = await requestLog(store);
    const logged = new Set(rows.map(({ id }) => id));
    const missing = traffic.requestIds.filter((id) => !logged.has(id));
    holds(
      missing.length === 0,
      `${missing.length} of ${traffic.requestIds.length} answers are not in the request log`,
    );
  } finally {
    await store.close();
  }
}

function checkIntegrity(folder: string): void {
  for (const file of ["countersign.db", "journal.db"]) {
    const database = new DatabaseSync(join(folder, file), { readOnly: true });
    const found = database.prepare("pragma integrity_check").all();
    database.close();
    const said = JSON.stringify(found);
    holds(said === '[{"integrity_check":"ok"}]', `integrity_check of ${file}: ${said}`);
  }
}
