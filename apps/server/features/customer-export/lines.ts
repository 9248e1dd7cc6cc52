import { isoTime } from "@countersign/domain/dates/iso-time";
import { auditEntries } from "@countersign/store/queries/audit-log/entries";
import {
  blocksOfCustomer,
  heldSince,
  licensesHeldBy,
  sightingsOfLicense,
  transfersOfCustomer,
} from "@countersign/store/queries/customers/export";
import { eventsAfter } from "@countersign/store/queries/events/events";
import { ipsOfLicenses, tagsOfLicenses } from "@countersign/store/queries/organization-export/rows";
import { everyRequest } from "@countersign/store/queries/requests/filter";
import { iterateRequests } from "@countersign/store/queries/requests/search";
import type { Store } from "@countersign/store/store";
import type { LicenseRow, OrganizationCustomerRow } from "@countersign/store/tables/licenses";
import type { TransferRow } from "@countersign/store/tables/portal";
import { showEvent } from "../events/routes.ts";
import {
  type ExportLine,
  exportedBlock,
  exportedLicense,
  linesOf,
  paged,
  rowsAtATime,
} from "../organization-export/lines.ts";
import { showRequests } from "../requests/show.ts";

type Lines = AsyncGenerator<readonly ExportLine[]>;

/**
 * Everything an organization holds about one customer, license by license. What was recorded about a license before it
 * was transferred to them is left out, and so is the other party of a transfer: that is about someone else.
 */
export async function* customerLines(
  store: Store,
  customer: OrganizationCustomerRow,
  logKeptSinceMs: number,
): Lines {
  const { reads: db } = store;
  const { organization_id: organizationId, customer_id: id, search_text: _, ...record } = customer;
  const { created_at, updated_at, ...who } = record;
  yield linesOf("customer", [
    { id, ...who, created_at: isoTime(created_at), updated_at: isoTime(updated_at) },
  ]);
  yield* paged(
    (last: { id: string } | null) =>
      blocksOfCustomer(db, organizationId, id, { afterId: last?.id ?? null, limit: rowsAtATime }),
    async (rows) => linesOf("ip_block", rows.map(exportedBlock)),
  );
  const identity = { id, email: customer.email, discordId: customer.discord_id };
  const transfers = await transfersOfCustomer(db, organizationId, identity);
  yield linesOf(
    "transfer",
    transfers.map((row) => exportedTransfer(row, id)),
  );
  yield* auditLines(store, organizationId, id, 0);
  for (let afterId: string | null = null; ; ) {
    const licenses: readonly LicenseRow[] = await licensesHeldBy(db, organizationId, id, {
      afterId,
      limit: licensesAtATime,
    });
    for (const license of licenses)
      yield* licenseLines(store, license, await heldSince(db, license.id, id), logKeptSinceMs);
    afterId = licenses.at(-1)?.id ?? null;
    if (afterId === null || licenses.length < licensesAtATime) return;
  }
}

const licensesAtATime = 50;

async function* licenseLines(
  store: Store,
  license: LicenseRow,
  sinceMs: number,
  logKeptSinceMs: number,
): Lines {
  const { reads: db } = store;
  const { id, organization_id: organizationId } = license;
  const ips = (await ipsOfLicenses(db, [id])).filter(({ registered_at }) => registered_at >= sinceMs);
  yield linesOf("license", [exportedLicense(license, ips, await tagsOfLicenses(db, [id]))]);
  yield* paged(
    (last: { ip: string } | null) =>
      sightingsOfLicense(db, id, sinceMs, { afterIp: last?.ip ?? null, limit: rowsAtATime }),
    async (rows) =>
      linesOf(
        "ip_address",
        rows.map(({ ip, hits, ...seen }) => ({
          license_id: id,
          ip,
          requests: hits,
          first_seen_at: isoTime(seen.first_seen_at),
          last_seen_at: isoTime(seen.last_seen_at),
        })),
      ),
  );
  const filter = { organizationId, licenseId: id, fromMs: sinceMs === 0 ? null : sinceMs + 1, toMs: null };
  yield* paged(
    (last: { id: string } | null) =>
      eventsAfter(db, filter, {
        after: last?.id ?? null,
        descending: false,
        before: null,
        limit: rowsAtATime,
      }),
    async (rows) => linesOf("event", rows.map(showEvent)),
  );
  yield* auditLines(store, organizationId, id, sinceMs);
  const range = { fromMs: Math.max(sinceMs, logKeptSinceMs), untilMs: Number.MAX_SAFE_INTEGER };
  const requests = { ...everyRequest(organizationId), licenseId: id };
  const iteration = { filter: requests, range, order: "oldest", rowsTogether: rowsAtATime } as const;
  for await (const rows of iterateRequests(store.listReads, iteration))
    yield linesOf("request", await showRequests(db, organizationId, rows));
}

/** What was done with the customer or a license of theirs. Who did it is about the seller's own people. */
async function* auditLines(store: Store, organizationId: string, subjectId: string, sinceMs: number): Lines {
  const filter = {
    ...{ organizationId, subjectId, actorId: null, action: null, subjectKind: null },
    ...{ fromMs: sinceMs === 0 ? null : sinceMs + 1, toMs: null },
  };
  for (let after: { at: number; id: string } | null = null; ; ) {
    const page = await auditEntries(store.reads, filter, { after, limit: rowsAtATime });
    yield linesOf(
      "audit_entry",
      page.rows.map((row) => ({
        at: isoTime(row.at),
        action: row.action,
        subject_id: row.subject_id,
        before: parsed(row.before),
        after: parsed(row.after),
      })),
    );
    const last = page.rows.at(-1);
    after = page.searchedTo ?? (page.rows.length < rowsAtATime || last === undefined ? null : last);
    if (after === null) return;
  }
}

function exportedTransfer(row: TransferRow, customerId: string) {
  const isSender = row.from_customer_id === customerId;
  return {
    id: row.id,
    product_id: row.product_id,
    license_id: row.license_id,
    license_key_hint: row.license_key_hint,
    state: row.state,
    role: isSender ? "sender" : "recipient",
    email: isSender ? row.from_email : row.to_email,
    discord_id: isSender ? row.from_discord_id : row.to_discord_id,
    name: isSender ? row.from_name : null,
    message: isSender ? row.message : null,
    requested_at: isoTime(row.requested_at),
    decided_at: isoTime(row.decided_at),
  };
}

function parsed(json: string | null): unknown {
  return json === null ? null : JSON.parse(json);
}
