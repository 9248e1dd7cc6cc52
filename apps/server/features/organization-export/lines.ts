import { isoTime } from "@countersign/domain/dates/iso-time";
import { auditEntries } from "@countersign/store/queries/audit-log/entries";
import { brandingOf } from "@countersign/store/queries/branding/branding";
import { userById } from "@countersign/store/queries/identity/users";
import { invitationsOf } from "@countersign/store/queries/invitations/invitations";
import { membersOf } from "@countersign/store/queries/members/members";
import {
  blocksToExport,
  customersToExport,
  downloadsOfProducts,
  ipsOfLicenses,
  licensesToExport,
  tagsOfLicenses,
  versionsOfProducts,
  webhooksToExport,
} from "@countersign/store/queries/organization-export/rows";
import { allPlans } from "@countersign/store/queries/plans/plans";
import { productsOf } from "@countersign/store/queries/products/products";
import { rolesOf } from "@countersign/store/queries/roles/roles";
import { transfersToExport } from "@countersign/store/queries/transfers/views";
import type { Database } from "@countersign/store/store";
import type { IpBlockRow, LicenseIpRow, LicenseRow } from "@countersign/store/tables/licenses";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import { showToOrganization } from "../audit-log/show.ts";
import { exportedBranding } from "../branding/show.ts";
import { showInvitation } from "../invitations/show.ts";
import { showMember, showOwner } from "../members/show.ts";
import { showOrganization } from "../organizations/show.ts";
import { showProducts } from "../products/show.ts";
import { showRoles } from "../roles/routes.ts";
import { showTransfers } from "../transfers/show.ts";
import { redactedUrl } from "../webhooks/api/endpoints.ts";

export interface ExportLine {
  readonly kind: string;
  readonly data: object;
}

type Lines = AsyncGenerator<readonly ExportLine[]>;

/** How much is read at a time: small enough not to delay other requests. */
export const rowsAtATime = 200;

/** All data of an organization, page by page: what others refer to comes first. */
export async function* organizationLines(db: Database, organization: OrganizationRow, nowMs: number): Lines {
  yield [{ kind: "organization", data: showOrganization(organization, await allPlans(db)) }];
  const branding = await brandingOf(db, organization.id);
  if (branding !== undefined) yield [{ kind: "branding", data: exportedBranding(branding) }];
  yield* productLines(db, organization.id, nowMs);
  yield* peopleLines(db, organization, nowMs);
  yield* customerLines(db, organization.id);
  yield* licenseLines(db, organization.id);
  yield* transferLines(db, organization.id, nowMs);
  yield* blockLines(db, organization.id);
  yield* webhookLines(db, organization.id);
  yield* auditLines(db, organization.id);
}

async function* productLines(db: Database, organizationId: string, nowMs: number): Lines {
  yield* paged(
    (last: { created_at: number; id: string } | null) =>
      productsOf(db, organizationId, {
        after: last === null ? null : { createdAt: last.created_at, id: last.id },
        limit: rowsAtATime,
        status: null,
      }),
    async (rows) => {
      const ids = rows.map((row) => row.id);
      const versions = await versionsOfProducts(db, ids);
      const downloads = await downloadsOfProducts(db, ids);
      return [
        ...linesOf("product", await showProducts(db, rows, nowMs)),
        ...linesOf(
          "product_version",
          versions.map((row) => ({ ...row, created_at: isoTime(row.created_at) })),
        ),
        ...linesOf("product_download", downloads),
      ];
    },
  );
}

async function* peopleLines(db: Database, organization: OrganizationRow, nowMs: number): Lines {
  const { id } = organization;
  yield* paged(
    (last: { id: string } | null) => rolesOf(db, id, { afterId: last?.id ?? null, limit: rowsAtATime }),
    async (rows) => linesOf("role", await showRoles(db, rows, nowMs)),
  );
  const owner = organization.owner_id === null ? undefined : await userById(db, organization.owner_id);
  if (owner !== undefined) yield linesOf("member", [showOwner(owner, organization)]);
  yield* paged(
    (last: { created_at: number; user_id: string } | null) =>
      membersOf(db, id, {
        after: last === null ? null : { joinedAtMs: last.created_at, userId: last.user_id },
        limit: rowsAtATime,
      }),
    async (rows) => linesOf("member", rows.map(showMember)),
  );
  yield* paged(
    (last: { id: string } | null) =>
      invitationsOf(db, id, { beforeId: last?.id ?? null, limit: rowsAtATime, state: null }, nowMs),
    async (rows) =>
      linesOf(
        "invitation",
        rows.map((row) => showInvitation(row, nowMs)),
      ),
  );
}

async function* customerLines(db: Database, organizationId: string): Lines {
  yield* paged(
    (last: { created_at: number; customer_id: string } | null) =>
      customersToExport(db, organizationId, last, rowsAtATime),
    async (rows) => linesOf("customer", rows.map(exportedCustomer)),
  );
}

async function* licenseLines(db: Database, organizationId: string): Lines {
  yield* paged(
    (last: { created_at: number; id: string } | null) =>
      licensesToExport(db, organizationId, last, rowsAtATime),
    async (rows) => {
      const ids = rows.map((row) => row.id);
      const ips = Map.groupBy(await ipsOfLicenses(db, ids), (row) => row.license_id);
      const tags = Map.groupBy(await tagsOfLicenses(db, ids), (row) => row.license_id);
      return linesOf(
        "license",
        rows.map((row) => exportedLicense(row, ips.get(row.id) ?? [], tags.get(row.id) ?? [])),
      );
    },
  );
}

async function* transferLines(db: Database, organizationId: string, nowMs: number): Lines {
  yield* paged(
    (last: { id: string } | null) => transfersToExport(db, organizationId, last?.id ?? null, rowsAtATime),
    async (rows) => linesOf("transfer", await showTransfers(db, organizationId, rows, nowMs)),
  );
}

async function* blockLines(db: Database, organizationId: string): Lines {
  yield* paged(
    (last: { id: string } | null) => blocksToExport(db, organizationId, last?.id ?? null, rowsAtATime),
    async (rows) => linesOf("ip_block", rows.map(exportedBlock)),
  );
}

async function* webhookLines(db: Database, organizationId: string): Lines {
  yield* paged(
    (last: { created_at: number; id: string } | null) =>
      webhooksToExport(db, organizationId, last, rowsAtATime),
    async (rows) => linesOf("webhook", rows.map(exportedWebhook)),
  );
}

async function* auditLines(db: Database, organizationId: string): Lines {
  const everything = {
    organizationId,
    actorId: null,
    action: null,
    subjectKind: null,
    subjectId: null,
    fromMs: null,
    toMs: null,
  };
  yield* paged(
    (last: { at: number; id: string } | null) =>
      auditEntries(db, everything, { after: last, limit: rowsAtATime }).then(({ rows }) => rows),
    async (rows) => linesOf("audit_entry", rows.map(showToOrganization)),
  );
}

/** Reads pages, each starting after the last row of the previous one, until one is not full. */
export async function* paged<Position, Row extends Position>(
  read: (last: Position | null) => Promise<readonly Row[]>,
  show: (rows: readonly Row[]) => Promise<readonly ExportLine[]>,
): Lines {
  let last: Row | null = null;
  for (;;) {
    const rows: readonly Row[] = await read(last);
    if (rows.length > 0) yield await show(rows);
    last = rows.at(-1) ?? null;
    if (rows.length < rowsAtATime) return;
  }
}

export function linesOf(kind: string, items: readonly object[]): ExportLine[] {
  return items.map((data) => ({ kind, data }));
}

/** What an export contains of each row: what people entered or would miss, nothing that only the program needs. */

export function exportedLicense(
  row: LicenseRow,
  ips: readonly LicenseIpRow[],
  tags: readonly { readonly tag: string }[],
) {
  return {
    id: row.id,
    product_id: row.product_id,
    customer_id: row.customer_id,
    license_key: row.license_key,
    is_lifetime: row.is_lifetime === 1,
    expires_at: isoTime(row.expires_at),
    term_ms: row.term_ms,
    first_used_at: isoTime(row.first_used_at),
    ip_system_enabled: row.ip_system_enabled === 1,
    max_ips: row.max_ips,
    ips: ips.map(({ ip, registered_at }) => ({ ip, registered_at: isoTime(registered_at) })),
    notes: row.notes,
    version_pin_mode: row.version_pin_mode,
    version_pinned: row.version_pinned,
    version_range_min: row.version_range_min,
    version_range_max: row.version_range_max,
    custom_override: parsed(row.custom_override),
    metadata: parsed(row.metadata),
    tags: tags.map(({ tag }) => tag),
    revoked_at: isoTime(row.revoked_at),
    revoked_reason: row.revoked_reason,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}

function exportedCustomer(row: Awaited<ReturnType<typeof customersToExport>>[number]) {
  return { ...row, created_at: isoTime(row.created_at), updated_at: isoTime(row.updated_at) };
}

export function exportedBlock(row: IpBlockRow) {
  return {
    id: row.id,
    tier: row.tier,
    scope_id: row.scope_id,
    cidr: row.cidr,
    note: row.note,
    expires_at: isoTime(row.expires_at),
    created_by: row.created_by,
    created_at: isoTime(row.created_at),
  };
}

/** Without its secrets and headers. The URL of a channel is a secret too: anyone who knows it can post there. */
function exportedWebhook(row: Awaited<ReturnType<typeof webhooksToExport>>[number]) {
  return {
    ...row,
    url: row.format === "standard" ? row.url : redactedUrl(row.url),
    event_types: parsed(row.event_types),
    product_ids: parsed(row.product_ids),
    auto_reenable: row.auto_reenable === 1,
    disabled_at: isoTime(row.disabled_at),
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}

function parsed(json: string | null): unknown {
  return json === null ? null : JSON.parse(json);
}

/** Pages as JSON Lines. */
export async function* textOf(pages: AsyncGenerator<readonly ExportLine[]>): AsyncGenerator<string, void> {
  let lineCount = 0;
  for await (const page of pages) {
    if (page.length === 0) continue;
    lineCount += page.length;
    yield asText(page);
  }
  // So that a reader can tell a complete file from one that was cut off.
  yield asText([{ kind: "end", data: { lines: lineCount } }]);
}

function asText(lines: readonly object[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}
