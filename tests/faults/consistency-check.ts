import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type DatabaseLocation, openStore } from "@countersign/store/open";
import type { Store } from "@countersign/store/store";
import { countedRequests } from "../support/public-api-fixture.ts";
import { requestLog } from "../support/request-log.ts";
import { holds, holdsNone } from "./assert-holds.ts";
import { type Subjects, slotsEach } from "./subjects.ts";
import type { Traffic } from "./traffic.ts";

/** Compares the responses that callers received with the database. Throws at the first difference. */
export async function checkConsistency(
  location: DatabaseLocation,
  { productId }: Subjects,
  traffic: Traffic,
): Promise<void> {
  holdsNone(traffic.wrong, "wrong answers");
  await withStore(location, async (store) => {
    const counted = await countedRequests({ store, productId });
    holds(traffic.acknowledged <= counted, `${traffic.acknowledged} acknowledged, only ${counted} counted`);
    holds(counted <= traffic.sent, `${counted} counted, only ${traffic.sent} sent`);

    const rows = await store.reads.selectFrom("license_ips").select(["license_id", "ip"]).execute();
    const registered = new Set(rows.map(({ license_id, ip }) => `${license_id} ${ip}`));
    for (const { licenseId, ip } of traffic.registrations)
      holds(registered.has(`${licenseId} ${ip}`), `${ip} was told that it is registered and is not`);
    const licenses = await store.reads.selectFrom("licenses").select(["id", "ip_count"]).execute();
    for (const { id, ip_count } of licenses) {
      const slots = rows.filter((row) => row.license_id === id).length;
      holds(slots <= slotsEach, `${slots} addresses hold one of ${slotsEach} places`);
      holds(slots === ip_count, `${slots} addresses, but the license counts ${ip_count}`);
    }
  });
  if (location.kind === "sqlite") checkIntegrity(location.folder);
}

/** Every verdict that a caller received is in the request log. */
export async function checkRequestLog(location: DatabaseLocation, { requestIds }: Traffic): Promise<void> {
  const rows = await withStore(location, (store) => requestLog(store));
  const logged = new Set(rows.map(({ id }) => id));
  const missing = requestIds.filter((id) => !logged.has(id)).length;
  holds(missing === 0, `${missing} of ${requestIds.length} answers are not in the request log`);
}

/** Opens the database of a server for this work. */
export async function withStore<T>(
  location: DatabaseLocation,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await openStore(location, { encryptionKey: null, durability: "standard" });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

function checkIntegrity(folder: string): void {
  for (const file of ["countersign.db", "journal.db"]) {
    const database = new DatabaseSync(join(folder, file), { readOnly: true });
    const found = JSON.stringify(database.prepare("pragma integrity_check").all());
    database.close();
    holds(found === '[{"integrity_check":"ok"}]', `integrity_check of ${file}: ${found}`);
  }
}
