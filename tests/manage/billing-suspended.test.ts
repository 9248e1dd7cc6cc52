import { expect, test } from "bun:test";
import { nothing, type Route } from "@countersign/contract/manage/route";
import { portalBase } from "@countersign/contract/portal/base";
import { TransferReminders } from "../../apps/server/features/transfers/remind.ts";
import { manageRoutes, portalRoutes } from "../../apps/server/http/manage/routes.ts";
import { problemOf } from "../support/answers.ts";
import type { TestedDatabase } from "../support/databases.ts";
import { openedEmails } from "../support/emails.ts";
import { fillOrganization } from "../support/filled-organization.ts";
import { csv, csvFile, finishedImport } from "../support/license-files.ts";
import { type ManageClient, manageClient } from "../support/manage-client.ts";
import { pathIn } from "../support/matrix-paths.ts";
import { openPortalFixture } from "../support/portal-fixture.ts";
import { addPortalCustomer } from "../support/portal-rows.ts";
import { testsOn } from "../support/tests-on.ts";

const routes = manageRoutes
  .map(({ route }) => route)
  .filter(({ access }) => access.who === "member" || access.who === "owner");
const writes = routes.filter(({ method, changesNothing }) => method !== "GET" && changesNothing !== true);
const refused = writes.filter((route) => route.whileUnpaid !== true);
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

/** An organization with one of everything, a customer, and its owner and its token as clients. */
async function openSuspended(make: TestedDatabase["make"]) {
  const fixture = await openPortalFixture(make);
  const ours = await fillOrganization(fixture, fixture.owner, fixture);
  const customer = await addPortalCustomer(fixture.store, ours);
  const setState = async (state: string, organizationId = fixture.organizationId) => {
    const path = `/admin/organizations/${organizationId}`;
    const { status, body } = await fixture.admin.api.patch(path, { billing_state: state });
    expect([status, body.billing_state]).toEqual([200, state]);
  };
  await setState("suspended");
  const clients = [fixture.owner.api, manageClient(fixture.url, ours.token)];
  return { ...fixture, ours, customer, clients, setState };
}

const named = (some: readonly Route[]) => some.map((route) => [route.id, route] as const);

testsOn("sqlite", "an organization whose billing is suspended", openSuspended, (fixture) => {
  const send = (client: ManageClient, route: Route) => {
    const [type = "application/json"] = route.bodyTypes ?? [];
    const takesBody = route.bodyTypes !== undefined || route.body !== nothing;
    const headers: Record<string, string> = takesBody ? { "content-type": type } : {};
    return client.send(route.method, pathIn(route, fixture.ours), takesBody ? "{}" : null, headers);
  };
  /** To the portal, as the customer. */
  const sendToPortal = (path: string, request: { method?: string; body?: string | null } = {}) => {
    const headers = { origin: fixture.url, "content-type": "application/json" };
    const { cookie } = fixture.customer;
    return fetch(fixture.url + portalBase + path, { headers: { ...headers, cookie }, ...request });
  };

  test("only the listed routes work while it is unpaid, and none that reads is listed", () => {
    const marked = routes.filter((route) => route.whileUnpaid === true);
    expect(marked.filter(({ method }) => method === "GET")).toEqual([]);
    const marks = writes.filter((route) => route.whileUnpaid === true).map(({ id }) => id);
    expect(marks.filter((id) => whileUnpaid[id] === undefined)).toEqual([]);
  });

  test.each(named(refused))("%s is refused, for a person and for a token", async (_, route) => {
    for (const client of route.access.who === "owner" ? fixture.clients.slice(0, 1) : fixture.clients) {
      const { status, body } = await send(client, route);
      expect([status, body.code]).toEqual([402, "billing_suspended"]);
    }
  });

  test("nothing was changed by any of them", async () => {
    const path = `/admin/audit-log?organization_id=${fixture.organizationId}&limit=1`;
    const { body } = await fixture.admin.api.get(path);
    expect(body.data).toMatchObject([{ action: "organization.billing_changed" }]);
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

  test.each(named(portalWrites))("in the portal, %s is refused without the reason", async (_, route) => {
    const body = route.body === nothing ? null : JSON.stringify({ email: "recipient@example.com" });
    const response = await sendToPortal(pathIn(route, fixture.ours), { method: route.method, body });
    const text = await response.text();
    expect([response.status, JSON.parse(text).code]).toEqual([403, "seller_suspended"]);
    expect(text).not.toContain("payment");
  });

  test("in the portal, licenses can be viewed, and the seller is shown as suspended", async () => {
    const response = await sendToPortal(`/licenses/${fixture.ours.idFor("license_id", "")}`);
    expect(await response.json()).toMatchObject({ seller: { is_suspended: true } });
  });

  test("an invitation cannot be accepted", async () => {
    const { email, api } = await fixture.person();
    const id = fixture.ours.idFor("invitation_id", "") ?? "";
    await fixture.change("invitations", { id }, { email });
    const { status, body } = await api.post(`/invitations/${fixture.ours.idFor("token", "")}/accept`);
    expect([status, body.code]).toEqual([402, "billing_suspended"]);
  });

  test("its owner is not reminded of transfers that nobody can decide on", async () => {
    const { store, owner, url } = fixture;
    const later = async () => (await store.clock()) + 2 * 86_400_000;
    const reminders = () => openedEmails(store, { to: owner.email, kind: "transfers_waiting" });
    const before = await reminders();
    await new TransferReminders(store, url, later).run();
    expect(await reminders()).toEqual(before);
  });

  test("the routes for paying, leaving and ending an access do what they do", async () => {
    const { owner, organizationId, ours } = fixture;
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
    const confirm = JSON.stringify({ confirm: (await owner.api.get(path)).body.slug });
    const deletion = await owner.api.send("DELETE", path, confirm, { "content-type": "application/json" });
    expect([deletion.status, deletion.body.delete_after]).toEqual([200, expect.any(String)]);
    expect((await owner.api.post(`${path}/restore`)).body.delete_after).toBeNull();
    const heir = await fixture.member(["products:view"]);
    const handedOver = { user_id: heir.userId, role_id: heir.roleId };
    expect((await owner.api.post(`${path}/transfer-ownership`, handedOver)).status).toBe(200);
    expect((await heir.api.get(`${path}/billing`)).status).toBe(200);
  });

  test("an import that was accepted before is finished, and no other one is accepted", async () => {
    const { owner, organizationId, productId } = await fixture.seller();
    const rows = Array.from({ length: 2_000 }, (_, row) => [`${productId}-${row}`, "a@example.com"]);
    const file = csvFile(["license_key", "customer_email"], ...rows);
    const upload = () => owner.api.send("POST", `/products/${productId}/licenses/import`, file, csv);
    const accepted = await upload();
    expect(accepted.status).toBe(202);
    await fixture.setState("suspended", organizationId);
    const job = await finishedImport({ ...fixture, owner }, accepted.body.id, productId);
    expect([job.state, job.created]).toEqual(["finished", rows.length]);
    expect((await upload()).body).toMatchObject({ status: 402, code: "billing_suspended" });
  });

  test("everything works again as soon as it is active", async () => {
    const { owner, organizationId, productId } = await fixture.seller();
    const rename = async () => (await owner.api.patch(`/products/${productId}`, { name: "Renamed" })).status;
    for (const state of ["active", "grace", "cancelled"]) {
      await fixture.setState("suspended", organizationId);
      expect(await rename()).toBe(402);
      await fixture.setState(state, organizationId);
      expect(await rename()).toBe(200);
    }
  });

  test("the operator's own suspension comes first, and stops the rest too", async () => {
    const { owner, organizationId } = await fixture.seller();
    await fixture.setState("suspended", organizationId);
    await fixture.admin.api.post(`/admin/organizations/${organizationId}/suspend`, { reason: "Abuse" });
    const refused = await owner.api.post(`/organizations/${organizationId}/restore`);
    expect(problemOf(refused)).toEqual([403, "organization_suspended"]);
  });
});
