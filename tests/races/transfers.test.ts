import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { databases } from "../support/databases.ts";
import { importFile } from "../support/license-files.ts";
import { type ManageClient, manageClient } from "../support/manage-client.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { portalEnvironment } from "../support/signed-in-customer.ts";
import { newId } from "../support/test-organization.ts";
import { type Sold, type TransferFixture, transferFixture } from "../support/transfer-fixture.ts";

setDefaultTimeout(180_000);

const rounds = 12;

/** On PostgreSQL the two sides of each race call different nodes. */
describe.each(databases)("transfers at the same moment on $kind", ({ kind, make }) => {
  let fixture: ManageFixture;
  let second: ServerProcess;
  let transfers: TransferFixture;
  let elsewhere: ManageClient;
  let review: string;
  let automatic: string;
  beforeAll(async () => {
    fixture = await openManageFixture(make, portalEnvironment);
    second =
      kind === "postgres"
        ? await startServerProcess({ ...fixture.database.environment, ...portalEnvironment })
        : fixture.server;
    elsewhere = manageClient(second.url, fixture.owner.token);
    transfers = transferFixture(fixture);
    review = await transfers.product();
    automatic = await transfers.product({ transfers: "automatic" });
  });
  afterAll(async () => {
    if (second !== fixture.server) await second.stop();
    await fixture.close();
  });

  interface Result {
    readonly status: number;
    readonly body: { readonly code?: string; readonly state?: string };
  }
  /** What happened, in short. A server error is never one of the outcomes. */
  const outcome = ({ status, body }: Result) => {
    expect(status, JSON.stringify(body)).toBeLessThan(500);
    return status < 300 ? "done" : (body.code ?? "");
  };
  const target = () => `grace-${newId()}@example.com`;
  const request = (license: Sold, email = target()) =>
    license.customer.post(`/licenses/${license.id}/transfers`, { email });
  const pending = async (productId = review) => {
    const license = await transfers.sold(productId);
    const answer = await request(license);
    expect([answer.status, answer.body.state]).toEqual([201, "pending"]);
    return { license, id: String(answer.body.id) };
  };
  const approve = (id: string) => fixture.owner.api.post(`/transfers/${id}/approve`);
  const cancel = (license: Sold, id: string) => license.customer.post(`/transfers/${id}/cancel`);

  /**
   * What must hold no matter which was first: nothing waits for a license that is gone or belongs to another customer, each
   * decision has one event, and a license was transferred exactly if a transfer of it was approved.
   */
  const consistent = async (licenseId: string) => {
    const rows = await fixture.store.reads
      .selectFrom("transfers")
      .selectAll()
      .where("license_id", "=", licenseId)
      .execute();
    const license = await transfers.row(licenseId);
    const types = await transfers.types(licenseId);
    const count = (type: string) => types.filter((one) => one === type).length;
    const of = (state: string) => rows.filter((row) => row.state === state);
    expect(of("pending").length).toBeLessThanOrEqual(1);
    for (const { from_customer_id: from } of of("pending")) expect(license?.customer_id).toBe(from);
    expect(count("license.transfer_requested")).toBe(rows.length);
    expect(count("license.transferred")).toBe(of("approved").length);
    expect(count("license.transfer_rejected")).toBe(of("rejected").length);
    expect(count("license.transfer_cancelled")).toBe(of("cancelled").length);
    const audited = await transfers.audited(licenseId);
    expect(audited.filter(({ action }) => action === "license.transferred")).toHaveLength(
      of("approved").length,
    );
    return rows.map(({ state }) => state).sort();
  };

  /** Runs a race many times, and counts how often each pair of outcomes occurred. */
  const race = async (once: () => Promise<string>) => {
    const seen = new Map<string, number>();
    for (let round = 0; round < rounds; round++) {
      const result = await once();
      seen.set(result, (seen.get(result) ?? 0) + 1);
    }
    return [...seen.keys()].sort();
  };

  test("of several requests for a license, one is accepted", async () => {
    const seen = await race(async () => {
      const license = await transfers.sold(review);
      const answers = await Promise.all(Array.from({ length: 5 }, () => request(license)));
      expect(await consistent(license.id)).toEqual(["pending"]);
      return answers.map(outcome).sort().join();
    });
    expect(seen).toEqual([["done", ...Array(4).fill("transfer_pending")].join()]);
  });

  test("of several automatic requests, one transfers the license, and it is no longer theirs for the others", async () => {
    const seen = await race(async () => {
      const license = await transfers.sold(automatic);
      const targets = [target(), target(), target()];
      const answers = await Promise.all(targets.map((email) => request(license, email)));
      expect(await consistent(license.id)).toEqual(["approved"]);
      const winner = answers.findIndex(({ status }) => status === 201);
      const { body } = await fixture.owner.api.get(`/licenses/${license.id}`);
      expect(body.customer_email).toBe(targets[winner]);
      return answers.map(outcome).sort().join();
    });
    expect(seen).toEqual(["done,not_found,not_found"]);
  });

  test("of two approvals, one transfers the license, with one new key", async () => {
    const seen = await race(async () => {
      const { license, id } = await pending();
      const answers = await Promise.all([approve(id), elsewhere.post(`/transfers/${id}/approve`)]);
      expect(await consistent(license.id)).toEqual(["approved"]);
      const transferred = (await transfers.events(license.id)).find(
        ({ type }) => type === "license.transferred",
      );
      expect(transferred?.data.license.license_key).toBe((await transfers.row(license.id))?.license_key);
      return answers.map(outcome).sort().join();
    });
    expect(seen).toEqual(["done,transfer_not_pending"]);
  });

  test("of an approval and a cancellation, one wins and the other is refused", async () => {
    const seen = await race(async () => {
      const { license, id } = await pending();
      const before = await transfers.row(license.id);
      const [approved, cancelled] = await Promise.all([
        elsewhere.post(`/transfers/${id}/approve`),
        cancel(license, id),
      ]);
      const [state] = await consistent(license.id);
      const after = await transfers.row(license.id);
      expect(state).toBe(approved.status === 200 ? "approved" : "cancelled");
      expect(after?.customer_id === before?.customer_id).toBe(state === "cancelled");
      expect(after?.license_key === before?.license_key).toBe(state === "cancelled");
      return [approved, cancelled].map(outcome).sort().join();
    });
    expect(seen).toEqual(["done,transfer_not_pending"]);
  });

  test("of an approval and a rejection, one wins and the other is refused", async () => {
    const seen = await race(async () => {
      const { license, id } = await pending();
      const answers = await Promise.all([
        approve(id),
        elsewhere.post(`/transfers/${id}/reject`, { reason: "No." }),
      ]);
      const [state] = await consistent(license.id);
      expect(state).toBe(answers[0].status === 200 ? "approved" : "rejected");
      return answers.map(outcome).sort().join();
    });
    expect(seen).toEqual(["done,transfer_not_pending"]);
  });

  test("a cancellation that is sent twice is accepted once", async () => {
    const seen = await race(async () => {
      const { license, id } = await pending();
      const answers = await Promise.all([cancel(license, id), cancel(license, id)]);
      expect(await consistent(license.id)).toEqual(["cancelled"]);
      return answers.map(outcome).sort().join();
    });
    expect(seen).toEqual(["done,transfer_not_pending"]);
  });

  test("an approval and a deletion: the transfer is approved before, or cancelled by the system", async () => {
    const seen = await race(async () => {
      const { license, id } = await pending();
      const [approved, deleted] = await Promise.all([
        approve(id),
        elsewhere.delete(`/licenses/${license.id}`),
      ]);
      expect(outcome(deleted)).toBe("done");
      expect(await transfers.row(license.id)).toBeUndefined();
      expect(await consistent(license.id)).toEqual([approved.status === 200 ? "approved" : "cancelled"]);
      return outcome(approved);
    });
    for (const result of seen) expect(["done", "transfer_not_pending"]).toContain(result);
  });

  test("a cancellation and a deletion: the transfer is cancelled once", async () => {
    const seen = await race(async () => {
      const { license, id } = await pending();
      const [cancelled, deleted] = await Promise.all([
        cancel(license, id),
        elsewhere.delete(`/licenses/${license.id}`),
      ]);
      expect(outcome(deleted)).toBe("done");
      expect(await consistent(license.id)).toEqual(["cancelled"]);
      return outcome(cancelled);
    });
    for (const result of seen) expect(["done", "transfer_not_pending"]).toContain(result);
  });

  test("a request and a deletion: nothing waits for a license that is gone", async () => {
    const seen = await race(async () => {
      const license = await transfers.sold(review);
      const [requested, deleted] = await Promise.all([
        request(license),
        elsewhere.delete(`/licenses/${license.id}`),
      ]);
      expect(outcome(deleted)).toBe("done");
      const states = await consistent(license.id);
      expect(states).toEqual(requested.status === 201 ? ["cancelled"] : []);
      return outcome(requested);
    });
    for (const result of seen) expect(["done", "not_found"]).toContain(result);
  });

  test.each(["review", "automatic"])(
    "a request and a revocation, %s: the request is first, or refused",
    async (mode) => {
      const seen = await race(async () => {
        const license = await transfers.sold(mode === "review" ? review : automatic);
        const [requested, revoked] = await Promise.all([
          request(license),
          elsewhere.post(`/licenses/${license.id}/revoke`, {}),
        ]);
        expect(outcome(revoked)).toBe("done");
        const state = mode === "review" ? "pending" : "approved";
        expect(await consistent(license.id)).toEqual(requested.status === 201 ? [state] : []);
        expect((await transfers.row(license.id))?.revoked_at).not.toBeNull();
        return outcome(requested);
      });
      for (const result of seen) expect(["done", "transfer_license_revoked"]).toContain(result);
    },
  );

  test("an approval and a revocation: the license is transferred before, or stays with its customer", async () => {
    const seen = await race(async () => {
      const { license, id } = await pending();
      const [approved, revoked] = await Promise.all([
        approve(id),
        elsewhere.post(`/licenses/${license.id}/revoke`, {}),
      ]);
      expect(outcome(revoked)).toBe("done");
      const moved = approved.status === 200;
      expect(await consistent(license.id)).toEqual([moved ? "approved" : "pending"]);
      const row = await transfers.row(license.id);
      expect(row?.revoked_at).not.toBeNull();
      expect(row?.customer_id === license.customerId).toBe(!moved);
      return outcome(approved);
    });
    for (const result of seen) expect(["done", "transfer_license_revoked"]).toContain(result);
  });

  test("an approval and a change of the license's customer: the seller's choice is the last word", async () => {
    const seen = await race(async () => {
      const { license, id } = await pending();
      const chosen = target();
      const [approved, changed] = await Promise.all([
        approve(id),
        elsewhere.patch(`/licenses/${license.id}`, { customer_email: chosen }),
      ]);
      expect(outcome(changed)).toBe("done");
      expect(await consistent(license.id)).toEqual([approved.status === 200 ? "approved" : "cancelled"]);
      const { body } = await fixture.owner.api.get(`/licenses/${license.id}`);
      expect(body.customer_email).toBe(chosen);
      return outcome(approved);
    });
    for (const result of seen) expect(["done", "transfer_not_pending"]).toContain(result);
  });

  test("a request and a change of the license's customer: nothing waits for a former customer", async () => {
    const seen = await race(async () => {
      const license = await transfers.sold(review);
      const [requested, changed] = await Promise.all([
        request(license),
        elsewhere.patch(`/licenses/${license.id}`, { customer_email: target() }),
      ]);
      expect(outcome(changed)).toBe("done");
      expect(await consistent(license.id)).toEqual(requested.status === 201 ? ["cancelled"] : []);
      return outcome(requested);
    });
    for (const result of seen) expect(["done", "not_found"]).toContain(result);
  });

  test("an approval and a new identifier of the customer: the license goes to one of the two, and is never lost", async () => {
    const seen = await race(async () => {
      const { license, id } = await pending();
      const chosen = target();
      const customer = `/organizations/${fixture.organizationId}/customers/${license.customerId}`;
      const [approved, changed] = await Promise.all([
        approve(id),
        elsewhere.patch(customer, { email: chosen }),
      ]);
      expect(outcome(changed)).toBe("done");
      const moved = approved.status === 200;
      expect(await consistent(license.id)).toEqual([moved ? "approved" : "cancelled"]);
      const { body } = await fixture.owner.api.get(`/licenses/${license.id}`);
      expect(body.customer_email === chosen).toBe(!moved);
      return outcome(approved);
    });
    for (const result of seen) expect(["done", "transfer_not_pending"]).toContain(result);
  });

  test("an approval and archiving the product: it is first, or refused while the transfer waits", async () => {
    const seen = await race(async () => {
      const productId = await transfers.product();
      const { license, id } = await pending(productId);
      const [approved, archived] = await Promise.all([
        approve(id),
        elsewhere.patch(`/products/${productId}`, { status: "archived" }),
      ]);
      expect(outcome(archived)).toBe("done");
      expect(await consistent(license.id)).toEqual([approved.status === 200 ? "approved" : "pending"]);
      return outcome(approved);
    });
    for (const result of seen) expect(["done", "transfer_product_inactive"]).toContain(result);
  });

  test("an approval and suspending the organization: it is first, or refused while the transfer waits", async () => {
    const organization = `/admin/organizations/${fixture.organizationId}`;
    const seen = await race(async () => {
      const { license, id } = await pending();
      const [approved] = await Promise.all([
        approve(id),
        fixture.admin.api.post(`${organization}/suspend`, { reason: "Stolen keys." }),
      ]);
      expect(await consistent(license.id)).toEqual([approved.status === 200 ? "approved" : "pending"]);
      await fixture.admin.api.post(`${organization}/restore`);
      return outcome(approved);
    });
    for (const result of seen) expect(["done", "organization_suspended"]).toContain(result);
  });

  test("two licenses that change customers with each other are both transferred", async () => {
    const seen = await race(async () => {
      const [a, b] = [await transfers.sold(review), await transfers.sold(review)];
      const [toB, toA] = [await request(a, b.email), await request(b, a.email)];
      const answers = await Promise.all([
        approve(toB.body.id),
        elsewhere.post(`/transfers/${toA.body.id}/approve`),
      ]);
      expect((await transfers.row(a.id))?.customer_id).toBe(b.customerId);
      expect((await transfers.row(b.id))?.customer_id).toBe(a.customerId);
      return answers.map(outcome).join();
    });
    expect(seen).toEqual(["done,done"]);
  });

  test("many licenses that go to the same new customer are all transferred", async () => {
    const email = target();
    const waiting = [];
    for (let count = 0; count < 12; count++) {
      const license = await transfers.sold(review);
      waiting.push({ license, id: String((await request(license, email)).body.id) });
    }
    const answers = await Promise.all(
      waiting.map(({ id }, index) =>
        index % 2 === 0 ? approve(id) : elsewhere.post(`/transfers/${id}/approve`),
      ),
    );
    expect(answers.map(outcome)).toEqual(Array(12).fill("done"));
    const rows = await Promise.all(waiting.map(({ license }) => transfers.row(license.id)));
    expect(new Set(rows.map((row) => row?.customer_id)).size).toBe(1);
  });

  test("approvals while all their licenses are deleted at once", async () => {
    for (let round = 0; round < 3; round++) {
      const waiting = [];
      for (let count = 0; count < 10; count++) waiting.push(await pending());
      const [deleted, ...approved] = await Promise.all([
        elsewhere.post(`/organizations/${fixture.organizationId}/licenses/bulk`, {
          action: "delete",
          selection: { ids: waiting.map(({ license }) => license.id) },
        }),
        ...waiting.map(({ id }) => approve(id)),
      ]);
      expect(outcome(deleted)).toBe("done");
      for (const [index, { license }] of waiting.entries()) {
        const answer = approved[index];
        if (answer === undefined) throw new Error("An approval has no response.");
        expect(["done", "transfer_not_pending"]).toContain(outcome(answer));
        expect(await transfers.row(license.id)).toBeUndefined();
        expect(await consistent(license.id)).toEqual([answer.status === 200 ? "approved" : "cancelled"]);
      }
    }
  });

  test("approvals while an import overwrites the customers", async () => {
    for (let round = 0; round < 3; round++) {
      const waiting = [];
      for (let count = 0; count < 10; count++) waiting.push(await pending());
      const chosen = target();
      const rows = waiting.map(({ license }) => `${license.key},${chosen}\n`).join("");
      const [job, ...approved] = await Promise.all([
        importFile(fixture, `license_key,customer_email\n${rows}`, "?on_existing=update&mode=row_by_row", {
          productId: review,
        }),
        ...waiting.map(({ id }) => elsewhere.post(`/transfers/${id}/approve`)),
      ]);
      expect(job.state).toBe("finished");
      for (const [index, { license }] of waiting.entries()) {
        const answer = approved[index];
        if (answer === undefined) throw new Error("An approval has no response.");
        expect(["done", "transfer_not_pending"]).toContain(outcome(answer));
        expect(await consistent(license.id)).toEqual([answer.status === 200 ? "approved" : "cancelled"]);
      }
    }
  });

  test("a validation during the transfer sees the license before or after it, never in between", async () => {
    const { body: made } = await fixture.owner.api.post(`/products/${review}/api-keys`, { name: "Race" });
    const apiKey = String(made.api_key ?? made.key);
    const validate = async (url: string, key: string) => {
      const answer = await fetch(`${url}/api/v1/validate`, {
        method: "POST",
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({ license_key: key }),
      });
      return ((await answer.json()) as { status: string }).status;
    };
    for (let round = 0; round < rounds; round++) {
      const { license, id } = await pending();
      const [approved, ...results] = await Promise.all([
        approve(id),
        ...Array.from({ length: 6 }, (_, count) =>
          validate(count % 2 === 0 ? fixture.server.url : second.url, license.key),
        ),
      ]);
      expect(outcome(approved)).toBe("done");
      for (const status of results) expect(["active", "license_not_found"]).toContain(status);
      expect(await validate(second.url, license.key)).toBe("license_not_found");
      const row = await transfers.row(license.id);
      expect(await validate(fixture.server.url, row?.license_key ?? "")).toBe("active");
    }
  });
});
