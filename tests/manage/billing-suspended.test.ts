import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { nothing, type Route } from "@countersign/contract/manage/route";
import { portalBase } from "@countersign/contract/portal/base";
import { TransferReminders } from "../../apps/server/features/transfers/remind.ts";
import { manageRoutes, portalRoutes } from "../../apps/server/http/manage/routes.ts";
import { on } from "../support/databases.ts";
import { openedEmails } from "../support/emails.ts";
import { type FilledOrganization, fillOrganization } from "../support/filled-organization.ts";
import { csv, csvFile, finishedImport } from "../support/license-files.ts";
import { type ManageClient, manageClient } from "../support/manage-client.ts";
import type { Person } from "../support/manage-fixture.ts";
import { pathIn } from "../support/matrix-paths.ts";
import { openPortalFixture, type PortalFixture } from "../support/portal-fixture.ts";
import { addPortalCustomer, type PortalCustomer } from "../support/portal-rows.ts";

setDefaultTimeout(60_000);

const routes = manageRoutes
  .map(({ route }) => route)
  .filter(({ access }) => access.who === "member" || access.who === "owner");
const writes = routes.filter(({ method, changesNothing }) => method !== "GET" && changesNothing !== true);
const portalWrites = portalRoutes
  .map(({ route }) => route)
  .filter(({ access, method, path }) => {
    const isAboutSeller = /\{(?:license|transfer)_id\}/.test(path);
    return access.who === "customer" && method !== "GET" && isAboutSeller;
  });

/** What works although a payment is overdue. A new one needs the reason. */
const whileUnpaid: Readonly<Record<string, string>> = {
  deleteOrganization: "To leave.",
  restoreOrganization: "To cancel that.",
  transferOwnership: "To leave, and to let another person pay.",
  removeMember: "To leave, and to end someone's access: what can be read must not stay open to them.",
  revokeOrganizationAccessToken: "To end an access: it can still read.",
  previewCustomResponse: "Changes nothing.",
  revealSigningSecret: "Changes nothing.",
  startCheckout: "To pay.",
  openBillingPortal: "To pay.",
};

describe.each(on("sqlite"))("an organization whose billing is suspended on $kind", ({ make }) => {
  let fixture: PortalFixture;
  let ours: FilledOrganization;
  let customer: PortalCustomer;
  /** The owner and a token of the organization. */
  let clients: readonly ManageClient[];
  beforeAll(async () => {
    fixture = await openPortalFixture(make);
    ours = await fillOrganization(fixture, fixture.owner, fixture);
    customer = await addPortalCustomer(fixture.store, ours);
    clients = [fixture.owner.api, manageClient(fixture.server.url, ours.token)];
    await setState("suspended");
  });
  afterAll(() => fixture.close());

  const setState = async (state: string, organizationId = fixture.organizationId) => {
    const path = `/admin/organizations/${organizationId}`;
    const { status, body } = await fixture.admin.api.patch(path, { billing_state: state });
    expect([status, body.billing_state]).toEqual([200, state]);
  };
  const send = (client: ManageClient, route: Route) => {
    const [type] = route.bodyTypes ?? ["application/json"];
    const takesBody = route.bodyTypes !== undefined || route.body !== nothing;
    const headers: Record<string, string> = takesBody && type !== undefined ? { "content-type": type } : {};
    return client.send(route.method, pathIn(route, ours), takesBody ? "{}" : null, headers);
  };

  test("only the listed routes work while it is unpaid", () => {
    const marked = writes.filter((route) => route.whileUnpaid === true).map(({ id }) => id);
    expect(marked.filter((id) => whileUnpaid[id] === undefined)).toEqual([]);
    for (const { id, method } of routes.filter((route) => route.whileUnpaid === true))
      expect([id, method]).not.toEqual([id, "GET"]);
  });

  test.each(writes.filter((route) => route.whileUnpaid !== true).map((route) => [route.id, route] as const))(
    "%s is refused, for a person and for a token",
    async (_, route) => {
      for (const client of route.access.who === "owner" ? clients.slice(0, 1) : clients) {
        const { status, body } = await send(client, route);
        expect([status, body.code]).toEqual([402, "billing_suspended"]);
      }
    },
  );

  test("nothing was changed by any of them", async () => {
    const entries = await fixture.store.reads
      .selectFrom("audit_log")
      .select("action")
      .where("organization_id", "=", fixture.organizationId)
      .orderBy("id", "desc")
      .limit(1)
      .execute();
    expect(entries.map(({ action }) => action)).toEqual(["organization.billing_changed"]);
  });

  test("everything can be read", async () => {
    for (const route of routes.filter(({ method }) => method === "GET")) {
      const { status, body } = await send(fixture.owner.api, route);
      expect([route.id, status, body.code]).not.toEqual([route.id, 402, "billing_suspended"]);
      expect([route.id, status < 500]).toEqual([route.id, true]);
    }
    const shown = await fixture.owner.api.get(`/organizations/${fixture.organizationId}/billing`);
    expect(shown.body).toMatchObject({ billing_state: "suspended", grace_ends_at: null });
    const validated = await fixture.publicApi.validate({ license_key: "0000-0000-0000-0000" });
    expect(validated.body.status).toBe("billing_suspended");
  });

  test.each(portalWrites.map((route) => [route.id, route] as const))(
    "in the portal, %s is refused without the reason",
    async (_, route) => {
      const response = await fetch(fixture.url + portalBase + pathIn(route, ours), {
        method: route.method,
        headers: { cookie: customer.cookie, origin: fixture.url, "content-type": "application/json" },
        body: route.body === nothing ? null : JSON.stringify({ email: "recipient@example.com" }),
      });
      const text = await response.text();
      expect([response.status, JSON.parse(text).code]).toEqual([403, "seller_suspended"]);
      expect(text).not.toContain("payment");
    },
  );

  test("in the portal, licenses can be viewed, and the seller is shown as suspended", async () => {
    const license = `/licenses/${ours.idFor("license_id", "")}`;
    const response = await fetch(fixture.url + portalBase + license, {
      headers: { cookie: customer.cookie },
    });
    const body = JSON.parse(await response.text());
    expect([response.status, body.seller.is_suspended]).toEqual([200, true]);
  });

  test("an invitation cannot be accepted", async () => {
    const invited = await fixture.person();
    await fixture.store.transaction((db) =>
      db
        .updateTable("invitations")
        .set({ email: invited.email })
        .where("id", "=", ours.idFor("invitation_id", "") ?? "")
        .execute(),
    );
    const { status, body } = await invited.api.post(`/invitations/${ours.idFor("token", "")}/accept`);
    expect([status, body.code]).toEqual([402, "billing_suspended"]);
  });

  test("its owner is not reminded of transfers that nobody can decide on", async () => {
    const later = async () => (await fixture.store.clock()) + 2 * 86_400_000;
    const reminders = () =>
      openedEmails(fixture.store, { to: fixture.owner.email, kind: "transfers_waiting" });
    const before = await reminders();
    await new TransferReminders(fixture.store, fixture.url, later).run();
    expect(await reminders()).toEqual(before);
  });

  test("the routes for paying, leaving and ending an access do what they do", async () => {
    const { owner, organizationId } = fixture;
    const path = `/organizations/${organizationId}`;
    for (const route of writes.filter((one) => one.whileUnpaid === true && one.body !== nothing))
      expect([route.id, (await send(owner.api, route)).body.code]).not.toEqual([
        route.id,
        "billing_suspended",
      ]);
    expect((await owner.api.post(`${path}/billing/portal`)).body.code).toBe("payments_unavailable");
    const token = `${path}/access-tokens/${ours.idFor("token_id", path)}`;
    expect((await owner.api.delete(token)).status).toBe(204);
    const leaver = await fixture.member(["products:view"]);
    expect((await leaver.api.delete(`${path}/members/${leaver.userId}`)).status).toBe(204);
    const { slug } = (await owner.api.get(path)).body;
    const confirmed = await owner.api.send("DELETE", path, JSON.stringify({ confirm: slug }), {
      "content-type": "application/json",
    });
    expect([confirmed.status, confirmed.body.delete_after]).toEqual([200, expect.any(String)]);
    expect((await owner.api.post(`${path}/restore`)).body.delete_after).toBeNull();
    const heir = await fixture.member(["products:view"]);
    const handedOver = { user_id: heir.userId, role_id: heir.roleId };
    expect((await owner.api.post(`${path}/transfer-ownership`, handedOver)).status).toBe(200);
    expect((await heir.api.get(`${path}/billing`)).status).toBe(200);
  });

  describe("in another organization", () => {
    const organization = async (): Promise<{ owner: Person; id: string; productId: string }> => {
      const { owner, organizationId: id, productId } = await fixture.seller();
      return { owner, id, productId };
    };

    test("an import that was accepted before is finished, and no other one is accepted", async () => {
      const { owner, id, productId } = await organization();
      const rows = Array.from({ length: 2_000 }, (_, row) => [
        `IMPORTED-${productId}-${row}`,
        "a@example.com",
      ]);
      const path = `/products/${productId}/licenses/import`;
      const file = csvFile(["license_key", "customer_email"], ...rows);
      const accepted = await owner.api.send("POST", path, file, csv);
      expect(accepted.status).toBe(202);
      await setState("suspended", id);
      const job = await finishedImport({ ...fixture, owner }, accepted.body.id, productId);
      expect([job.state, job.created]).toEqual(["finished", rows.length]);
      const refused = await owner.api.send("POST", path, file, csv);
      expect([refused.status, refused.body.code]).toEqual([402, "billing_suspended"]);
    });

    test("everything works again as soon as it is active", async () => {
      const { owner, id, productId } = await organization();
      await setState("suspended", id);
      const rename = () => owner.api.patch(`/products/${productId}`, { name: "Renamed" });
      expect((await rename()).status).toBe(402);
      for (const state of ["active", "grace", "cancelled"]) {
        await setState(state, id);
        expect((await rename()).status).toBe(200);
        await setState("suspended", id);
      }
    });

    test("the operator's own suspension comes first, and stops the rest too", async () => {
      const { owner, id } = await organization();
      await setState("suspended", id);
      await fixture.admin.api.post(`/admin/organizations/${id}/suspend`, { reason: "Abuse" });
      const refused = await owner.api.post(`/organizations/${id}/restore`);
      expect([refused.status, refused.body.code]).toEqual([403, "organization_suspended"]);
    });
  });
});
