import { randomBytes } from "node:crypto";
import { generateAccessToken } from "@countersign/domain/members/access-token";
import { generateInvitationToken } from "@countersign/domain/members/invitation";
import { type Permission, permissions } from "@countersign/domain/members/permissions";
import { addAccessToken } from "@countersign/store/queries/access-tokens/tokens";
import { addAnnouncement } from "@countersign/store/queries/announcements/announcements";
import { customerFor } from "@countersign/store/queries/customers/identify";
import { addIpBlocks, type BlockScope } from "@countersign/store/queries/ip-blocks/blocks";
import { createLicenses, registerIp } from "@countersign/store/queries/licenses/create";
import { addTransfer } from "@countersign/store/queries/transfers/transfers";
import { setVersion } from "@countersign/store/queries/versions/versions";
import { sealText } from "@countersign/store/sealed-columns";
import type { Database } from "@countersign/store/store";
import { writeEmail } from "../../apps/server/features/mail/email.ts";
import { openTestJournal } from "./journal.ts";
import type { ManageFixture, Person } from "./manage-fixture.ts";
import { journalEntry } from "./request-log.ts";
import { newId } from "./test-organization.ts";

/** An organization with one of every resource that a path can name. */
export interface FilledOrganization {
  readonly owner: Person;
  readonly organizationId: string;
  readonly apiKey: string;
  /** A token of the organization with all permissions. */
  readonly token: string;
  readonly expiredToken: string;
  /** The value of a path parameter. Undefined for an unknown parameter. */
  idFor(parameter: string, path: string): string | undefined;
}

/** Fills the new organization of `owner`. Writes everything directly to the tables. */
export async function fillOrganization(
  fixture: ManageFixture,
  owner: Person,
  made: { organizationId: string; productId: string; apiKey: string },
): Promise<FilledOrganization> {
  const { organizationId, productId, apiKey } = made;
  const member = await fixture.member(["products:view"], organizationId);
  const nowMs = Date.now();
  const requestId = await addRequest(fixture, { organizationId, productId }, nowMs);
  return fixture.store.transaction(async (db) => {
    const email = `${newId()}@example.com`;
    const customerId = await customerFor(
      db,
      organizationId,
      { email, discordId: null, name: "Ada" },
      newId,
      nowMs,
    );
    const license = {
      id: newId(),
      organizationId,
      productId,
      customerId,
      key: newId().toUpperCase(),
      maxIps: 3,
    };
    await createLicenses(db, [license], nowMs);
    // Four digits without a leading zero, as in a response.
    const ip = `2001:db8:${(randomBytes(2).readUInt16BE() | 0x1000).toString(16)}:1::/64`;
    await registerIp(db, license.id, ip, nowMs);
    const version = `${1 + Math.floor(Math.random() * 90)}.${Math.floor(Math.random() * 90)}.1`;
    await setVersion(db, productId, { version, state: "allowed" }, nowMs);
    const token = await addToken(db, { organizationId }, nowMs);
    const expired = await addToken(db, { organizationId }, nowMs, nowMs - 1);
    const personal = await addToken(db, { userId: owner.userId }, nowMs);
    const invitation = generateInvitationToken(randomBytes);
    const invitationId = newId();
    await db
      .insertInto("invitations")
      .values({
        id: invitationId,
        organization_id: organizationId,
        email: `${invitationId}@example.com`,
        role_id: member.roleId,
        token_hash: invitation.hash,
        invited_by: owner.userId,
        created_at: nowMs,
        expires_at: nowMs + 86_400_000,
        accepted_at: null,
        accepted_by: null,
        revoked_at: null,
        mailed_at: nowMs,
      })
      .execute();
    const organizationBlock = await addBlock(db, { tier: "organization", organizationId }, nowMs);
    const customerBlock = await addBlock(db, { tier: "customer", organizationId, customerId }, nowMs);
    const licenseBlock = await addBlock(
      db,
      { tier: "license", organizationId, licenseId: license.id },
      nowMs,
    );
    const platformBlock = await addBlock(db, { tier: "platform" }, nowMs);
    const message = { to: email, subject: "A", text: "B", html: "<p>B</p>", kind: "test" };
    await writeEmail(db, message, nowMs);
    const { id: mailId } = await db
      .selectFrom("outbox")
      .select("id")
      .where("recipient", "=", email)
      .executeTakeFirstOrThrow();

    const sessionId = await addSession(db, owner.userId, nowMs);
    const importId = await addImport(db, organizationId, productId, nowMs);
    const { endpointId, deliveryId } = await addWebhook(db, organizationId, nowMs);
    const announcementId = await addPlatformAnnouncement(db, nowMs);
    const transferId = await addPendingTransfer(db, { ...license, customerId, email }, nowMs);
    const ids: Record<string, string> = {
      organization_id: organizationId,
      product_id: productId,
      license_id: license.id,
      role_id: member.roleId,
      user_id: member.userId,
      customer_id: customerId,
      invitation_id: invitationId,
      email_id: mailId,
      // A kind of email.
      kind: "invitation",
      session_id: sessionId,
      import_id: importId,
      endpoint_id: endpointId,
      delivery_id: deliveryId,
      transfer_id: transferId,
      announcement_id: announcementId,
      request_id: requestId,
      plan: "pro",
      prefix: apiKey.slice(0, 12),
      version,
      ip: encodeURIComponent(ip),
      // The secret of an invitation, which is in its email.
      token: invitation.token,
    };
    const blocks = [
      ["/admin/", platformBlock],
      ["/customers/", customerBlock],
      ["/licenses/", licenseBlock],
      ["/organizations/", organizationBlock],
    ] as const;
    return {
      owner,
      organizationId,
      apiKey,
      token: token.token,
      expiredToken: expired.token,
      idFor: (parameter, path) => {
        if (parameter === "token_id") return path.startsWith("/me/") ? personal.id : token.id;
        if (parameter === "block_id") return blocks.find(([part]) => path.includes(part))?.[1];
        return ids[parameter];
      },
    };
  });
}

/** A request in the log. */
async function addRequest(
  { database }: ManageFixture,
  { organizationId, productId }: { organizationId: string; productId: string },
  nowMs: number,
): Promise<string> {
  const id = newId();
  const { journal, close } = await openTestJournal(database.location);
  await journal.append([
    journalEntry({ at: nowMs, id, organization_id: organizationId, product_id: productId }),
  ]);
  await close();
  return id;
}

/** A token of a user or an organization. */
export async function addToken(
  db: Database,
  holder: { organizationId: string } | { userId: string },
  nowMs: number,
  expiresAtMs: number | null = null,
  allowed: readonly Permission[] = permissions,
) {
  const id = newId();
  const token = generateAccessToken(randomBytes);
  await addAccessToken(
    db,
    {
      id,
      ...token,
      name: "Token",
      userId: "userId" in holder ? holder.userId : null,
      organizationId: "organizationId" in holder ? holder.organizationId : null,
      permissions: allowed,
      createdBy: null,
      expiresAtMs,
    },
    nowMs,
  );
  return { id, token: token.token };
}

async function addBlock(db: Database, scope: BlockScope, nowMs: number): Promise<string> {
  const id = newId();
  const cidr = `198.51.100.${Math.floor(Math.random() * 250)}/32`;
  await addIpBlocks(db, [{ id, scope, cidr, note: null, expiresAtMs: null }], nowMs);
  return id;
}

async function addSession(db: Database, userId: string, nowMs: number): Promise<string> {
  const id = newId();
  const now = new Date(nowMs).toISOString();
  await db
    .insertInto("sessions")
    .values({
      id,
      user_id: userId,
      token: randomBytes(24).toString("hex"),
      expires_at: new Date(nowMs + 86_400_000).toISOString(),
      ip_address: null,
      user_agent: null,
      created_at: now,
      updated_at: now,
    })
    .execute();
  return id;
}

async function addImport(db: Database, organizationId: string, productId: string, nowMs: number) {
  const id = newId();
  await db
    .insertInto("imports")
    .values({
      id,
      organization_id: organizationId,
      product_id: productId,
      state: "finished",
      format: "csv",
      dry_run: 0,
      mode: "row_by_row",
      on_existing: "fail",
      send_events: 0,
      file_name: "licenses.csv",
      time_zone: "UTC",
      column_map: "{}",
      bytes_total: 0,
      bytes_done: 0,
      rows_total: 0,
      rows_done: 0,
      created: 0,
      updated: 0,
      skipped: 0,
      failed: 0,
      error_count: 0,
      errors: "[]",
      failure: null,
      actor: "{}",
      created_by: "Test Person",
      claimed_by: null,
      claimed_until: 0,
      created_at: nowMs,
      updated_at: nowMs,
      finished_at: nowMs,
      cancel_requested_at: null,
      undo: null,
      keeps_until: null,
      rejects_size: 0,
    })
    .execute();
  return id;
}

/** Requested by a portal account that was deleted. */
export async function addPendingTransfer(
  db: Database,
  license: { id: string; organizationId: string; productId: string; customerId: string; email: string },
  nowMs: number,
): Promise<string> {
  const id = newId();
  await addTransfer(db, {
    id,
    organization_id: license.organizationId,
    product_id: license.productId,
    license_id: license.id,
    license_key_hint: "ABCD…",
    state: "pending",
    from_customer_id: license.customerId,
    from_email: license.email,
    from_discord_id: null,
    from_name: "Ada",
    to_email: `${id}@example.com`,
    to_discord_id: null,
    to_customer_id: null,
    message: null,
    review_reason: "product_setting",
    requested_by: null,
    requested_at: nowMs,
    decided_at: null,
    decided_by: null,
    decided_by_name: null,
    reason: null,
    updated_at: nowMs,
  });
  return id;
}

async function addPlatformAnnouncement(db: Database, nowMs: number): Promise<string> {
  const id = newId();
  await addAnnouncement(db, {
    id,
    level: "info",
    message: "Maintenance",
    url: null,
    starts_at: nowMs,
    // Over: others do not see it.
    ends_at: nowMs + 1,
    created_by: null,
    created_at: nowMs,
    updated_at: nowMs,
  });
  return id;
}

/** With one finished delivery, so that nothing is sent to it automatically. */
async function addWebhook(db: Database, organizationId: string, nowMs: number) {
  const [endpointId, deliveryId, eventId] = [newId(), newId(), newId()];
  await db
    .insertInto("webhook_endpoints")
    .values({
      id: endpointId,
      organization_id: organizationId,
      sealed_url: sealText(db, "https://hooks.example.invalid/countersign"),
      description: "",
      format: "standard",
      event_types: null,
      product_ids: null,
      sealed_headers: null,
      status: "enabled",
      auto_reenable: 1,
      probes: 0,
      created_at: nowMs,
      updated_at: nowMs,
    })
    .execute();
  await db
    .insertInto("events")
    .values({
      id: eventId,
      organization_id: organizationId,
      type: "endpoint.test",
      at: nowMs,
      data: JSON.stringify({ organization_id: organizationId }),
    })
    .execute();
  await db
    .insertInto("deliveries")
    .values({
      id: deliveryId,
      organization_id: organizationId,
      endpoint_id: endpointId,
      event_id: eventId,
      event_type: "endpoint.test",
      state: "failed",
      attempts: 10,
      created_at: nowMs,
      finished_at: nowMs,
    })
    .execute();
  return { endpointId, deliveryId };
}
