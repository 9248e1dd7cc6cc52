import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type DatabaseLocation, openStore } from "@countersign/store/databases/open";
import type { Store } from "@countersign/store/store";
import { countedRequests } from "../support/public-api-fixture.ts";
import { requestLog } from "../support/request-log.ts";
import { openTestOrganization } from "../support/test-organization.ts";
import { holds, holdsNone } from "./assert-holds.ts";
import { type Subject, Traffic } from "./traffic.ts";

const slotsEach = 3;

/** Callers of a new product with as many licenses, of every kind. */
export async function openTraffic(location: DatabaseLocation, licenses = 20) {
  const { store, productId, apiKey, license } = await openTestOrganization(location, {
    settings: { signed_validation: 1 },
  });
  const common = { apiKey, isSigned: true } as const;
  const unknown = { ...common, id: "", key: "0000-0000-0000-0000", truths: ["license_not_found"] };
  const subjects: Subject[] = [unknown];
  for (let index = 0; index < licenses; index++) {
    const revoked = index % 5 === 4;
    const made = await license({ maxIps: slotsEach, revokedAtMs: revoked ? Date.now() : null });
    subjects.push({ ...common, ...made, truths: revoked ? ["revoked"] : ["active", "ip_limit_reached"] });
  }
  await store.close();
  const traffic = new Traffic(subjects);
  return Object.assign(traffic, {
    /** Throws at the first difference between what callers were told and the database. Returns the counted requests. */
    check: (at = location) => checkConsistency(at, productId, traffic),
  });
}

async function checkConsistency(
  location: DatabaseLocation,
  productId: string,
  traffic: Traffic,
): Promise<number> {
  holdsNone(traffic.wrong, "wrong answers");
  if (location.kind === "sqlite") checkIntegrity(location.folder);
  return withStore(location, async (store) => {
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
    return counted;
  });
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
