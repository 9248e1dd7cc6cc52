import { expect, test } from "bun:test";
import { portalBase } from "@countersign/contract/api/bases";
import { nothing, type Route } from "@countersign/contract/api/route";
import { transferReminders } from "../../apps/server/features/transfers/remind.ts";
import { manageRoutes, portalRoutes } from "../../apps/server/threads/routes.ts";
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

/** What works although a payment is overdue, in this order, and how it is answered. A new one needs the reason. */
const whileUnpaid: Readonly<Record<string, number>> = {
  // To pay.
  startCheckout: 409,
  openBillingPortal: 409,
  // Change nothing.
  previewCustomResponse: 200,
  revealSigningSecret: 200,
  // To end an access: it can still read. What can be read must not stay open to a former member.
  revokeOrganizationAccessToken: 204,
  removeMember: 204,
  // To leave, to cancel that, and to let another person pay.
  deleteOrganization: 200,
  restoreOrganization: 200,
  transferOwnership: 200,
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

testsOn("sqlite", "suspended billing", openSuspended, (fixture) => {
  const send = (client: ManageClient, route: Route, body: object = {}) => {
    const [type = "application/json"] = route.bodyTypes ?? [];
    const takesBody = route.bodyTypes !== undefined || route.body !== nothing;
    const headers: Record<string, string> = takesBody ? { "content-type": type } : {};
    const text = takesBody ? JSON.stringify(body) : null;
    return client.send(route.method, pathIn(route, fixture.ours), text, headers);
  };
  /** To the portal, as the customer. */
  const sendToPortal = (path: string, request: { method?: string; body?: string | null } = {}) => {
    const { cookie } = fixture.customer;
    const headers = { origin: fixture.url, "content-type": "application/json", cookie };
    return fetch(fixture.url + portalBase + path, { headers, ...request });
  };

  test.each(named(refused))("%s is refused while billing is suspended, even to a token", async (_, route) => {
    for (const client of route.access.who === "owner" ? fixture.clients.slice(0, 1) : fixture.clients) {
      const { status, body } = await send(client, route);
      expect([status, body.code]).toEqual([402, "billing_suspended"]);
    }
  });

  test("requests that were refused while billing is suspended changed nothing", async () => {
    const path = `/admin/audit-log?organization_id=${fixture.organizationId}&limit=1`;
    const { body } = await fixture.admin.api.get(path);
    expect(body.data).toMatchObject([{ action: "organization.billing_changed" }]);
  });

  test("everything can be read while billing is suspended", async () => {
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

  test.each(named(portalWrites))("the portal refuses %s and conceals unpaid billing", async (_, route) => {
    const body = route.body === nothing ? null : JSON.stringify({ email: "recipient@example.com" });
    const response = await sendToPortal(pathIn(route, fixture.ours), { method: route.method, body });
    const text = await response.text();
    expect([response.status, JSON.parse(text).code]).toEqual([403, "seller_suspended"]);
    expect(text).not.toContain("payment");
  });

  test("the portal shows licenses of a seller whose billing is suspended, and the seller as suspended", async () => {
    const response = await sendToPortal(`/licenses/${fixture.ours.idFor("license_id", "")}`);
    expect(await response.json()).toMatchObject({ seller: { is_suspended: true } });
  });

  test("an invitation cannot be accepted while billing is suspended", async () => {
    const { email, api } = await fixture.person();
    const id = fixture.ours.idFor("invitation_id", "") ?? "";
    await fixture.change("invitations", { id }, { email });
    const { status, body } = await api.post(`/invitations/${fixture.ours.idFor("token", "")}/accept`);
    expect([status, body.code]).toEqual([402, "billing_suspended"]);
  });

  test("the owner is not reminded of transfers that nobody can decide on while billing is suspended", async () => {
    const { store, owner, url } = fixture;
    const later = async () => (await store.clock()) + 2 * 86_400_000;
    const reminders = () => openedEmails(store, { to: owner.email, kind: "transfers_waiting" });
    const before = await reminders();
    await transferReminders(store, url, later).run();
    expect(await reminders()).toEqual(before);
  });

  test("only routes to pay, leave and end an access change anything while billing is suspended", async () => {
    const { owner, organizationId } = fixture;
    const marked = routes.filter((route) => route.whileUnpaid === true);
    expect(marked.map(({ id }) => id).sort()).toEqual(Object.keys(whileUnpaid).sort());
    expect(marked.filter(({ method }) => method === "GET")).toEqual([]);
    const heir = await fixture.member(["products:view"]);
    const { body: organization } = await owner.api.get(`/organizations/${organizationId}`);
    const bodies: Record<string, object> = {
      startCheckout: { plan: "pro", interval: "month" },
      deleteOrganization: { confirm: organization.slug },
      transferOwnership: { user_id: heir.userId, role_id: heir.roleId },
    };
    for (const [id, expected] of Object.entries(whileUnpaid)) {
      const route = marked.find((one) => one.id === id) as Route;
      const { status, text } = await send(owner.api, route, bodies[id]);
      expect([id, status], text).toEqual([id, expected]);
    }
    expect((await heir.api.get(`/organizations/${organizationId}/billing`)).status).toBe(200);
  });

  test("an import that was accepted before billing was suspended is finished, and no other one is accepted", async () => {
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

  test("everything works again once billing is active, unless the operator has suspended the organization too", async () => {
    const { owner, organizationId, productId } = await fixture.seller();
    const rename = async () => (await owner.api.patch(`/products/${productId}`, { name: "Renamed" })).status;
    for (const state of ["active", "grace", "cancelled"]) {
      await fixture.setState("suspended", organizationId);
      expect(await rename()).toBe(402);
      await fixture.setState(state, organizationId);
      expect(await rename()).toBe(200);
    }
    await fixture.setState("suspended", organizationId);
    await fixture.admin.api.post(`/admin/organizations/${organizationId}/suspend`, { reason: "Abuse" });
    const refused = await owner.api.post(`/organizations/${organizationId}/restore`);
    expect(problemOf(refused)).toEqual([403, "organization_suspended"]);
  });
});
