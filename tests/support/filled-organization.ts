import { randomBytes, randomInt } from "node:crypto";
import { generateAccessToken } from "@countersign/domain/members/access-token";
import { generateInvitationToken } from "@countersign/domain/members/invitation";
import { type Permission, permissions } from "@countersign/domain/members/permissions";
import { addAccessToken } from "@countersign/store/queries/access-tokens/tokens";
import { addAnnouncement } from "@countersign/store/queries/announcements/announcements";
import { customerFor } from "@countersign/store/queries/customers/identify";
import { addIpBlocks } from "@countersign/store/queries/ip-blocks/blocks";
import { createLicenses, registerIp } from "@countersign/store/queries/licenses/create";
import { addEmails } from "@countersign/store/queries/mail/outbox";
import { addTransfer } from "@countersign/store/queries/transfers/transfers";
import { setVersion } from "@countersign/store/queries/versions/versions";
import type { Database } from "@countersign/store/store";
import { emailRow } from "./emails.ts";
import { importRow } from "./import-row.ts";
import { openTestJournal } from "./journal.ts";
import type { ManageFixture, Person } from "./manage-fixture.ts";
import { insertInvitation, insertSession } from "./people-rows.ts";
import { journalEntry } from "./request-log.ts";
import { newId } from "./test-organization.ts";
import { transferRow } from "./transfer-row.ts";
import { makeDelivery, makeEndpoint } from "./webhooks.ts";

const dayMs = 86_400_000;

/** An organization with one of every resource that a path can name. */
export type FilledOrganization = Awaited<ReturnType<typeof fillOrganization>>;

/** Fills the new organization of `owner`. Writes everything directly to the tables. */
export async function fillOrganization(
  fixture: ManageFixture,
  owner: Person,
  made: { organizationId: string; productId: string; apiKey: string },
) {
  const { store } = fixture;
  const { organizationId, productId, apiKey } = made;
  const nowMs = Date.now();
  const member = await fixture.member(["products:view"], organizationId);
  const request = { id: newId(), at: nowMs, organization_id: organizationId, product_id: productId };
  const { journal, close } = await openTestJournal(fixture.database.location);
  await journal.append([journalEntry(request)]);
  await close();
  // Finished, so that nothing is sent automatically.
  const endpoint = await makeEndpoint(store, organizationId, "https://hooks.example.invalid/countersign");
  const delivery = await makeDelivery(
    { store, organizationId, endpointId: endpoint.id },
    { event_type: "endpoint.test", state: "failed", attempts: 10, created_at: nowMs, finished_at: nowMs },
  );
  const email = emailRow();
  const announcementId = newId();
  const finished = { state: "finished", finished_at: nowMs, claimed_until: 0, created_at: nowMs } as const;
  const fileImport = importRow(made, finished);
  const version = `${randomInt(1, 90)}.${randomInt(90)}.1`;
  // Four digits without a leading zero, as in a response.
  const ip = `2001:db8:${(randomBytes(2).readUInt16BE() | 0x1000).toString(16)}:1::/64`;
  const invitation = { id: newId(), ...generateInvitationToken(randomBytes) };
  const license = { id: newId(), organizationId, productId, key: newId().toUpperCase(), maxIps: 3 };
  return store.transaction(async (db) => {
    const buyer = { email: `${newId()}@example.com`, discordId: null, name: "Ada" };
    const customerId = await customerFor(db, organizationId, buyer, newId, nowMs);
    await createLicenses(db, [{ ...license, customerId }], nowMs);
    await registerIp(db, license.id, ip, nowMs);
    await setVersion(db, productId, { version, state: "allowed" }, nowMs);
    const token = await addToken(db, { organizationId }, nowMs);
    const expired = await addToken(db, { organizationId }, nowMs, nowMs - 1);
    const personal = await addToken(db, { userId: owner.userId }, nowMs);
    const invited = { id: invitation.id, token_hash: invitation.hash, invited_by: owner.userId };
    await insertInvitation(db, { ...invited, organization_id: organizationId, role_id: member.roleId });
    await addEmails(db, [email]);
    // Over: others do not see it.
    const over = { starts_at: nowMs, ends_at: nowMs + 1, created_at: nowMs, updated_at: nowMs };
    const notice = { level: "info", message: "Maintenance", url: null, created_by: null } as const;
    await addAnnouncement(db, { id: announcementId, ...notice, ...over });
    await db.insertInto("imports").values(fileImport).execute();
    const ids: Record<string, string> = {
      organization_id: organizationId,
      product_id: productId,
      license_id: license.id,
      role_id: member.roleId,
      user_id: member.userId,
      customer_id: customerId,
      invitation_id: invitation.id,
      email_id: email.id,
      // A kind of email.
      kind: "invitation",
      session_id: await insertSession(db, {
        user_id: owner.userId,
        openedAtMs: nowMs,
        expiresAtMs: nowMs + dayMs,
      }),
      import_id: fileImport.id,
      endpoint_id: endpoint.id,
      delivery_id: delivery.id,
      transfer_id: await addPendingTransfer(db, { ...license, customerId, email: buyer.email }, nowMs),
      announcement_id: announcementId,
      request_id: request.id,
      plan: "pro",
      prefix: apiKey.slice(0, 12),
      version,
      ip: encodeURIComponent(ip),
      // The secret of an invitation, which is in its email.
      token: invitation.token,
    };
    const scope = { organizationId, customerId, licenseId: license.id };
    const blocks = new Map<string, string>();
    for (const [part, tier] of [
      ["/admin/", "platform"],
      ["/customers/", "customer"],
      ["/licenses/", "license"],
      ["/organizations/", "organization"],
    ] as const) {
      const block = { id: newId(), cidr: `198.51.100.${randomInt(250)}/32`, note: null, expiresAtMs: null };
      await addIpBlocks(db, [{ ...block, scope: { ...scope, tier } }], nowMs);
      blocks.set(part, block.id);
    }
    return {
      owner,
      organizationId,
      apiKey,
      /** A token of the organization with all permissions. */
      token: token.token,
      expiredToken: expired.token,
      /** The value of a path parameter. Undefined for an unknown parameter. */
      idFor: (parameter: string, path: string): string | undefined => {
        if (parameter === "token_id") return path.startsWith("/me/") ? personal.id : token.id;
        if (parameter === "block_id") return [...blocks].find(([part]) => path.includes(part))?.[1];
        return ids[parameter];
      },
    };
  });
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
  const nobody = { userId: null, organizationId: null, createdBy: null };
  const row = { id, ...token, name: "Token", permissions: allowed, expiresAtMs, ...nobody, ...holder };
  await addAccessToken(db, row, nowMs);
  return { id, token: token.token };
}

/** Requested by a portal account that was deleted. */
export async function addPendingTransfer(
  db: Database,
  license: { id: string; organizationId: string; productId: string; customerId: string; email: string },
  nowMs: number,
): Promise<string> {
  const id = newId();
  const row = transferRow({
    id,
    organization_id: license.organizationId,
    product_id: license.productId,
    license_id: license.id,
    from_customer_id: license.customerId,
    from_email: license.email,
    to_email: `${id}@example.com`,
    requested_at: nowMs,
  });
  await addTransfer(db, row);
  return id;
}
