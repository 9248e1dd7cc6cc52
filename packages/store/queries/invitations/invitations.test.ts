import { expect, test } from "bun:test";
import { insertInvitation, insertRole } from "../../../../tests/support/people-rows.ts";
import { onBothDatabases, several } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import type { InvitationRow } from "../../tables/organizations.ts";
import * as members from "../members/members.ts";
import * as invitations from "./invitations.ts";

const nowMs = Date.UTC(2025, 0);

/** An invitation in each state. What was accepted or revoked may have expired since. */
const states = {
  pending: { expires_at: nowMs + 1 },
  expired: { expires_at: nowMs },
  revoked: { expires_at: nowMs, revoked_at: nowMs },
  accepted: { expires_at: nowMs, accepted_at: nowMs },
} as const;

onBothDatabases("invitations", (fixture) => {
  const { read, write } = fixture.queries({ ...members, ...invitations });
  const organization = async () => {
    const { organizationId } = await fixture.organization();
    const roleId = await fixture.write((db) =>
      insertRole(db, { organization_id: organizationId, name: "Seller" }),
    );
    const invite = (columns: Partial<InvitationRow> = {}) => {
      const row = { organization_id: organizationId, role_id: roleId, expires_at: nowMs + 1, ...columns };
      return fixture.write((db) => insertInvitation(db, row));
    };
    return { organizationId, roleId, invite };
  };
  type State = keyof typeof states;
  type Page = { state?: State; beforeId?: string; limit?: number };
  const idsOf = async (organizationId: string, { state, beforeId, limit = 10 }: Page) => {
    const page = { state: state ?? null, beforeId: beforeId ?? null, limit };
    return (await read.invitationsOf(organizationId, page, nowMs)).map(({ id }) => id);
  };

  test("invitations are listed newest first, by state and in pages, without those of others", async () => {
    const { organizationId, invite } = await organization();
    const { invite: inviteElsewhere } = await organization();
    const ids: string[] = [];
    for (const [state, columns] of Object.entries(states)) {
      const { id } = await invite(columns);
      ids.unshift(id);
      await inviteElsewhere(columns);
      expect(await idsOf(organizationId, { state: state as State })).toEqual([id]);
    }
    expect(await idsOf(organizationId, {})).toEqual(ids);
    expect(await idsOf(organizationId, { limit: 2 })).toEqual(ids.slice(0, 2));
    expect(await idsOf(organizationId, { beforeId: ids[1] ?? "", limit: 1 })).toEqual(ids.slice(2, 3));
  });

  test("an invitation names its role and author, is found in its organization only, and is changed without others", async () => {
    const { organizationId, invite } = await organization();
    const other = await organization();
    const author = await fixture.user({ name: "Ada" });
    const [changed, left] = [await invite({ invited_by: author.id }), await invite()];
    await write.updateInvitation(changed.id, { token_hash: "replaced", mailed_at: 7 });
    const found = await read.invitationOf(organizationId, changed.id);
    expect(found).toMatchObject({ role_name: "Seller", role_permissions: "[]", invited_by_name: "Ada" });
    expect(await read.invitationOf(other.organizationId, changed.id)).toBeUndefined();
    expect(await read.invitationByToken(changed.token_hash)).toBeUndefined();
    expect((await read.invitationByToken("replaced"))?.id).toBe(changed.id);
    expect(await read.invitationOf(organizationId, left.id)).toMatchObject(left);
  });

  test.each(Object.entries(states))(
    "the link of an invitation is found when %s, and usable if pending",
    async (state, columns) => {
      const { organizationId, invite } = await organization();
      const { id, token_hash: hash } = await invite(columns);
      const found = await read.invitationByToken(hash);
      expect(found).toMatchObject({ id, organization_name: "Test Organization" });
      const usable = () => read.pendingInvitationByToken(hash, nowMs);
      expect((await usable())?.id).toBe(state === "pending" ? id : undefined);
      await fixture.change("organizations", organizationId, { deleted_at: 1 });
      expect([await read.invitationByToken(hash), await usable()]).toEqual([undefined, undefined]);
    },
  );

  test("an email address has at most one open invitation per organization, also if it has expired", async () => {
    const { organizationId, invite } = await organization();
    const { invite: inviteElsewhere } = await organization();
    const email = `${newId()}@example.com`;
    for (const state of [states.accepted, states.revoked]) await invite({ email, ...state });
    const open = () => read.openInvitationTo(organizationId, email);
    expect(await open()).toBeUndefined();
    await inviteElsewhere({ email });
    expect(await open()).toBeUndefined();
    const { id } = await invite({ email, ...states.expired });
    expect((await open())?.id).toBe(id);
    await expect(invite({ email })).rejects.toThrow();
    await write.updateInvitation(id, { revoked_at: nowMs });
    const results = await Promise.allSettled([invite({ email }), invite({ email })]);
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  test("the owner and the members of an organization are known by their email address", async () => {
    const { organizationId, roleId } = await organization();
    const other = await organization();
    const [owner, member, outsider] = await several(3, () => fixture.user());
    await fixture.change("organizations", organizationId, { owner_id: owner.id });
    await write.addMember({ organizationId, userId: member.id, roleId }, nowMs);
    const belongs = (email: string, id = organizationId) => read.isOwnerOrMember(id, email);
    expect([await belongs(owner.email), await belongs(member.email)]).toEqual([true, true]);
    expect([await belongs(outsider.email), await belongs("nobody@example.com")]).toEqual([false, false]);
    for (const { email } of [owner, member]) expect(await belongs(email, other.organizationId)).toBe(false);
  });
});
