import { describe, expect, test } from "bun:test";
import { revertRows } from "@countersign/store/queries/license-files/undo";
import { importFile } from "../support/license-files.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";
import { openTransferSeller, type Sold, someoneNew } from "../support/transfer-fixture.ts";
import { until } from "../support/until.ts";

testsOn("sqlite", "changes to licenses with pending transfers", openTransferSeller, (seller) => {
  const waiting = async () => {
    const license = await seller.sold(seller.review);
    return { license, id: await seller.requested(license) };
  };
  /** Cancelled by the system, with its event: shown to the organization with the reason, to the customer without. */
  const expectCancelled = async ({ license, id }: { license: Sold; id: string }, reason: string) => {
    const events = await seller.events(license.id);
    const event = events.find(({ type }) => type === "license.transfer_cancelled");
    const decided = { state: "cancelled", decided_by: "system" };
    expect(event?.data.transfer).toMatchObject({ ...decided, reason });
    expect(event?.data.license?.id).toBe(license.id);
    const [own] = (await license.customer.get("/transfers")).body.data;
    expect(own).toMatchObject({ id, ...decided, reason: null });
    const exists = { license_exists: reason !== "license_deleted" };
    expect(await seller.shown(id)).toMatchObject({ state: "cancelled", ...exists });
  };
  const customers = () => `/organizations/${seller.organizationId}/customers`;

  const changes: [string, (license: Sold) => Promise<{ status: number }>, string][] = [
    ["deletes the license", ({ id }) => seller.owner.api.delete(`/licenses/${id}`), "license_deleted"],
    [
      "gives the license to another customer",
      ({ id }) => seller.owner.api.patch(`/licenses/${id}`, { customer_email: someoneNew() }),
      "customer_changed",
    ],
    [
      "changes who the customer is",
      ({ customerId }) => seller.owner.api.patch(`${customers()}/${customerId}`, { email: someoneNew() }),
      "customer_changed",
    ],
  ];
  test.each(changes)("a pending transfer is cancelled when the seller %s", async (_, change, reason) => {
    const pending = await waiting();
    // A change that concerns neither cancels nothing.
    const path = `${customers()}/${pending.license.customerId}`;
    expect((await seller.owner.api.patch(path, { name: "Ada Lovelace" })).status).toBe(200);
    expect(await seller.states(pending.license.id)).toEqual(["pending"]);
    expect((await change(pending.license)).status).toBeLessThan(300);
    await expectCancelled(pending, reason);
  });

  test("all pending transfers are cancelled when the seller deletes many licenses at once", async () => {
    const pending = [await waiting(), await waiting(), await waiting()];
    await seller.owner.api.post(`/organizations/${seller.organizationId}/licenses/bulk`, {
      action: "delete",
      selection: { ids: pending.map(({ license }) => license.id) },
    });
    for (const one of pending) await expectCancelled(one, "license_deleted");
  });

  const importing = (rows: readonly (readonly string[])[], events: boolean) => {
    const lines = rows.map((row) => `${row.join()}\n`).join("");
    const query = `?on_existing=update&send_events=${events}`;
    return importFile(seller, `license_key,customer_email\n${lines}`, query, { productId: seller.review });
  };

  describe.each([
    ["with", true],
    ["without", false],
  ])("imports %s events", (_, events) => {
    test("an import that overwrites the customer cancels a pending transfer", async () => {
      const [changed, same] = [await waiting(), await waiting()];
      const rows = [
        [changed.license.key, someoneNew()],
        [same.license.key, same.license.email],
      ];
      await importing(rows, events);
      await expectCancelled(changed, "customer_changed");
      expect((await seller.shown(same.id)).state).toBe("pending");
    });

    test("an import that is undone cancels pending transfers", async () => {
      const license = await seller.sold(seller.review);
      const [email, key] = [someoneNew(), `KEY-${newId()}`];
      const job = await importing(
        [license.key, key].map((one) => [one, email]),
        events,
      );
      const customer = await seller.signedIn(email);
      const [{ id: created } = { id: "" }] = await seller.stored("licenses", { license_key: key });
      const changed = await seller.requested({ id: license.id, customer });
      const deleted = await seller.requested({ id: created, customer });
      const path = `/products/${seller.review}/imports/${job.id}`;
      expect((await seller.owner.api.post(`${path}/undo`, {})).status).toBe(202);
      const state = async () => (await seller.owner.api.get(path)).body.state;
      await until("the import is undone", async () => (await state()) === "undone");
      expect((await seller.shown(changed)).reason).toBe("customer_changed");
      expect((await seller.shown(deleted)).reason).toBe("license_deleted");
      for (const id of [license.id, created])
        expect(await seller.types(id)).toContain("license.transfer_cancelled");
    });
  });

  test("an import that fails after it wrote a license does not take it from whom it was transferred to", async () => {
    const license = await seller.sold(seller.automatic, { notes: "before" });
    const [grace, joan] = [someoneNew(), someoneNew()];
    // What an import writes, and remembers in case a later row of its file fails.
    const fields = { customer_email: grace, notes: "from the file" };
    const written = await seller.owner.api.patch(`/licenses/${license.id}`, fields);
    const columns = { customer_id: license.customerId, notes: "before", ip_count: 1 };
    const undo = {
      import_id: newId(),
      license_id: license.id,
      before: JSON.stringify({ columns, ips: [{ ip: "203.0.113.7", registeredAt: 1 }] }),
      written_at: Date.parse(written.body.updated_at),
    };
    const customer = await seller.signedIn(grace);
    expect((await seller.request({ id: license.id, customer }, { email: joan })).body.state).toBe("approved");
    await seller.store.transaction((db) => revertRows(db, [undo]));
    const after = await seller.owner.api.get(`/licenses/${license.id}`);
    expect(after.body).toMatchObject({ customer_email: joan, notes: "before", current_unique_ip_count: 0 });
    const list = `/organizations/${seller.organizationId}/licenses?q=${joan}`;
    expect((await seller.owner.api.get(list)).body.data).toMatchObject([{ id: license.id }]);
  });

  /** What is erased: packages/store/queries/transfers/transfers.test.ts. */
  test("deleting a customer erases them from finished transfers, and not from those that wait", async () => {
    const license = await seller.sold(seller.review);
    const approved = await seller.requested(license, { email: someoneNew(), message: "For Grace" });
    await seller.approve(approved);
    const pending = await seller.requested(await seller.sold(seller.review), { email: license.email });
    expect((await seller.owner.api.delete(`${customers()}/${license.customerId}`)).status).toBe(204);
    const from = { customer_email: null, customer_name: null, customer_discord_id: null };
    expect(await seller.shown(approved)).toMatchObject({ state: "approved", from, message: null });
    expect((await seller.shown(pending)).to).toMatchObject({ customer_email: license.email });
  });
});
