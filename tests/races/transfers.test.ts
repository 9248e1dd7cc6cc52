import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { removePortalPerson } from "@countersign/store/queries/portal/people";
import { addLicense } from "../support/add-license.ts";
import { apiOf } from "../support/api.ts";
import { databases, on, type TestedDatabase } from "../support/databases.ts";
import { importFile } from "../support/license-files.ts";
import { lockWaits } from "../support/lock-waits.ts";
import { type ManageClient, manageClient } from "../support/manage-client.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { newId } from "../support/test-organization.ts";
import {
  openTransferSeller,
  type Sold,
  someoneNew,
  type TransferSeller,
} from "../support/transfer-fixture.ts";
import { until } from "../support/until.ts";
import { long } from "./size.ts";

setDefaultTimeout(180_000);

/** On SQLite, one transaction writes at a time: what holds on PostgreSQL holds there too. */
const tested = long ? databases : on("postgres");
const rounds = long ? 12 : 2;

interface Result {
  readonly status: number;
  readonly body: { readonly code?: string; readonly state?: string };
}

/** What happened, in short. A server error is never one of the outcomes. */
const outcome = ({ status, body }: Result) => {
  expect(status, JSON.stringify(body)).toBeLessThan(500);
  return status < 300 ? "done" : (body.code ?? "");
};

interface Transferred {
  readonly license: Sold;
  readonly productId: string;
  /** The transfer that waits, if one does. */
  readonly id: string;
}

type Act = (at: Transferred) => Promise<Result>;

describe.each(tested)("decisions on a transfer at the same moment on $kind", (database) => {
  const races = prepareRaces(database);
  const { sold, soldAutomatic, pending, request, approve, approveElsewhere, reject, cancel } = races;

  const oneOfTwo = "done,transfer_not_pending";
  const [approved, cancelled] = [["approved"], ["cancelled"]];
  const onePending = ["done", ...Array(4).fill("transfer_pending")].join();
  const oneAutomatic = "done,not_found,not_found";
  const contests: [string, () => Promise<Transferred>, Act[], outcomes: string, states: string[]][] = [
    ["one of several requests is accepted", sold, Array(5).fill(request), onePending, ["pending"]],
    [
      "one of several automatic requests transfers",
      soldAutomatic,
      Array(3).fill(request),
      oneAutomatic,
      approved,
    ],
    ["one of two approvals transfers", pending, [approve, approveElsewhere], oneOfTwo, approved],
    [
      "an approval or a cancellation wins",
      pending,
      [approveElsewhere, cancel],
      oneOfTwo,
      ["approved", "cancelled"],
    ],
    ["an approval or a rejection wins", pending, [approve, reject], oneOfTwo, ["approved", "rejected"]],
    ["a cancellation that is sent twice is accepted once", pending, [cancel, cancel], oneOfTwo, cancelled],
  ];
  test.each(contests)("%s", async (_, start, acts, outcomes, [ofFirst = "", ofSecond = ofFirst]) => {
    for (let round = 0; round < rounds; round++) {
      const at = await start();
      const answers = await Promise.all(acts.map((act) => act(at)));
      expect(answers.map(outcome).sort().join()).toBe(outcomes);
      expect(await races.consistent(at)).toEqual([answers[0]?.status === 409 ? ofSecond : ofFirst]);
      // The event has the key and the customer that the license has now.
      const events = await races.seller().events(at.license.id);
      const transferred = events.find(({ type }) => type === "license.transferred");
      const row = await races.seller().row(at.license.id);
      if (transferred !== undefined)
        expect(transferred.data.license).toMatchObject({
          license_key: row?.license_key,
          global_customer_id: row?.customer_id,
        });
    }
  });

  test("two licenses that change customers with each other are both transferred", async () => {
    for (let round = 0; round < rounds; round++) {
      const [a, b] = [await sold(), await sold()];
      const requested = async (from: Transferred, { license: { email } }: Transferred) => ({
        ...from,
        id: await races.seller().requested(from.license, { email }),
      });
      const [toB, toA] = [await requested(a, b), await requested(b, a)];
      const answers = await Promise.all([approve(toB), approveElsewhere(toA)]);
      expect(answers.map(outcome)).toEqual(["done", "done"]);
      const customerOf = async ({ license }: Transferred) =>
        (await races.seller().row(license.id))?.customer_id;
      expect(await customerOf(a)).toBe(b.license.customerId);
      expect(await customerOf(b)).toBe(a.license.customerId);
    }
  });

  test("many licenses that go to the same new customer are all transferred", async () => {
    const email = someoneNew();
    const waiting: Transferred[] = [];
    for (let count = 0; count < 6; count++) {
      const at = await sold();
      waiting.push({ ...at, id: await races.seller().requested(at.license, { email }) });
    }
    const answers = await Promise.all(
      waiting.map((at, index) => (index % 2 === 0 ? approve(at) : approveElsewhere(at))),
    );
    expect(answers.map(outcome)).toEqual(Array(6).fill("done"));
    const rows = await Promise.all(waiting.map(({ license }) => races.seller().row(license.id)));
    expect(new Set(rows.map((row) => row?.customer_id)).size).toBe(1);
  });

  test("a validation during the transfer sees the license before or after it, never in between", async () => {
    const seller = races.seller();
    const { body } = await seller.owner.api.post(`/products/${seller.review}/api-keys`, { name: "Race" });
    const apis = [seller.server.url, races.otherUrl()].map((url) =>
      apiOf(url, String(body.api_key ?? body.key)),
    );
    const validate = async (key: string, at: number) =>
      (await apis[at % 2]?.validate({ license_key: key }))?.body.status;
    for (let round = 0; round < rounds; round++) {
      const at = await pending();
      const [approved, ...results] = await Promise.all([
        approve(at),
        ...[0, 1, 2, 3, 4, 5].map((count) => validate(at.license.key, count)),
      ]);
      expect(outcome(approved)).toBe("done");
      for (const status of results) expect(["active", "license_not_found"]).toContain(String(status));
      expect(await validate(at.license.key, 1)).toBe("license_not_found");
      const key = String((await seller.row(at.license.id))?.license_key);
      expect(await validate(key, 0)).toBe("active");
    }
  });
});

describe.each(tested)("a transfer and a change at the same moment on $kind", (database) => {
  const races = prepareRaces(database);
  const { seller, sold, soldAutomatic, pending, request, approve, cancel } = races;

  // The changes always succeed.
  const deleteLicense: Act = ({ license }) => races.elsewhere().delete(`/licenses/${license.id}`);
  const revoke: Act = ({ license }) => races.elsewhere().post(`/licenses/${license.id}/revoke`, {});
  const archive: Act = ({ productId }) =>
    races.elsewhere().patch(`/products/${productId}`, { status: "archived" });
  const suspend: Act = () =>
    seller().admin.api.post(`/admin/organizations/${seller().organizationId}/suspend`, { reason: "Fraud." });
  const restore = () => seller().admin.api.post(`/admin/organizations/${seller().organizationId}/restore`);
  const chosen = ({ license }: Transferred) => `chosen-${license.id}@example.com`;
  const changeCustomer: Act = (at) =>
    races.elsewhere().patch(`/licenses/${at.license.id}`, { customer_email: chosen(at) });
  const changeIdentifier: Act = (at) => {
    const customers = `/organizations/${seller().organizationId}/customers`;
    return races.elsewhere().patch(`${customers}/${at.license.customerId}`, { email: chosen(at) });
  };
  const deleteAccount: Act = ({ license }) => license.customer.delete("/me");

  const emailOf = async ({ license }: Transferred) =>
    (await seller().owner.api.get(`/licenses/${license.id}`)).body.customer_email;
  const nothingElse = async () => {};
  const isGone = async ({ license }: Transferred) => expect(await seller().row(license.id)).toBeUndefined();
  const isRevoked = async ({ license }: Transferred) =>
    expect((await seller().row(license.id))?.revoked_at).not.toBeNull();
  const isChosen = async (at: Transferred) => expect(await emailOf(at)).toBe(chosen(at));
  const namesNobody = async ({ license }: Transferred) => {
    for (const { requested_by: person } of await seller().rows(license.id)) expect(person).toBeNull();
  };

  type Case = readonly [
    name: string,
    start: () => Promise<Transferred>,
    act: Act,
    change: Act,
    /** The code of `act`, if it was not first. */
    refused: string,
    /** What became of the license's transfer, if `act` was first, and if not. */
    states: readonly [string, string | null],
    after: (at: Transferred, isFirst: boolean) => Promise<unknown>,
  ];
  const ended = "transfer_not_pending";
  const whenRevoked = "transfer_license_revoked";
  const cases: Case[] = [
    [
      "an approval and a deletion: the transfer is approved before, or cancelled by the system",
      ...([pending, approve, deleteLicense, ended, ["approved", "cancelled"], isGone] as const),
    ],
    [
      "a cancellation and a deletion: the transfer is cancelled once",
      ...([pending, cancel, deleteLicense, ended, ["cancelled", "cancelled"], isGone] as const),
    ],
    [
      "a request and a deletion: nothing waits for a license that is gone",
      ...([sold, request, deleteLicense, "not_found", ["cancelled", null], isGone] as const),
    ],
    [
      "a request and a revocation: the request is first, or refused",
      ...([sold, request, revoke, whenRevoked, ["pending", null], isRevoked] as const),
    ],
    [
      "an automatic request and a revocation: the request is first, or refused",
      ...([soldAutomatic, request, revoke, whenRevoked, ["approved", null], isRevoked] as const),
    ],
    [
      "an approval and a revocation: the license is transferred before, or stays with its customer",
      ...([pending, approve, revoke, whenRevoked, ["approved", "pending"], isRevoked] as const),
    ],
    [
      "an approval and a change of the license's customer: the seller's choice is the last word",
      ...([pending, approve, changeCustomer, ended, ["approved", "cancelled"], isChosen] as const),
    ],
    [
      "a request and a change of the license's customer: nothing waits for a former customer",
      ...([sold, request, changeCustomer, "not_found", ["cancelled", null], isChosen] as const),
    ],
    [
      "an approval and a new identifier of the customer: the license goes to one of the two, and is never lost",
      ...([pending, approve, changeIdentifier, ended, ["approved", "cancelled"]] as const),
      async (at, isFirst) => expect((await emailOf(at)) === chosen(at)).toBe(!isFirst),
    ],
    [
      "an approval and archiving the product: it is first, or refused while the transfer waits",
      async () => pending(await seller().product()),
      ...([approve, archive, "transfer_product_inactive", ["approved", "pending"], nothingElse] as const),
    ],
    [
      "an approval and suspending the organization: it is first, or refused while the transfer waits",
      ...([pending, approve, suspend, "organization_suspended", ["approved", "pending"], restore] as const),
    ],
    [
      "a request and the deletion of its account: no transfer names an unknown account",
      ...([sold, request, deleteAccount, "sign_in_required", ["cancelled", null], namesNobody] as const),
    ],
    [
      "an automatic request and the deletion of its account: no transfer names an unknown account",
      ...([
        soldAutomatic,
        request,
        deleteAccount,
        "sign_in_required",
        ["approved", null],
        namesNobody,
      ] as const),
    ],
  ];
  test.each(cases)("%s", async (_, start, act, change, refused, [ifFirst, ifNot], after) => {
    for (let round = 0; round < rounds; round++) {
      const at = await start();
      const [acted, changed] = await Promise.all([act(at), change(at)]);
      expect(outcome(changed)).toBe("done");
      expect(["done", refused]).toContain(outcome(acted));
      const isFirst = acted.status < 300;
      const state = isFirst ? ifFirst : ifNot;
      expect(await races.consistent(at)).toEqual(state === null ? [] : [state]);
      await after(at, isFirst);
    }
  });

  /** Each of six transfers is approved, or cancelled by a change that concerns all of their licenses. */
  const approvals = async (start: (waiting: readonly Transferred[]) => Promise<unknown>) => {
    for (let round = 0; round < Math.ceil(rounds / 4); round++) {
      const waiting: Transferred[] = [];
      for (let count = 0; count < 6; count++) waiting.push(await pending());
      const [, ...answers] = await Promise.all([start(waiting), ...waiting.map(approve)]);
      for (const [index, at] of waiting.entries()) {
        const answer = answers[index];
        if (answer === undefined) throw new Error("An approval has no response.");
        expect(["done", ended]).toContain(outcome(answer));
        expect(await races.consistent(at)).toEqual([answer.status === 200 ? "approved" : "cancelled"]);
      }
    }
  };

  test("approvals while all their licenses are deleted at once are first, or the transfers are cancelled", async () => {
    await approvals(async (waiting) => {
      const selection = { ids: waiting.map(({ license }) => license.id) };
      const path = `/organizations/${seller().organizationId}/licenses/bulk`;
      expect(outcome(await races.elsewhere().post(path, { action: "delete", selection }))).toBe("done");
      await Promise.all(waiting.map(isGone));
    });
  });

  test("approvals while an import overwrites the customers are first, or the transfers are cancelled", async () => {
    await approvals(async (waiting) => {
      const email = someoneNew();
      const rows = waiting.map(({ license }) => `${license.key},${email}\n`).join("");
      const query = "?on_existing=update&mode=row_by_row";
      const file = `license_key,customer_email\n${rows}`;
      const job = await importFile(seller(), file, query, { productId: seller().review });
      expect(job.state).toBe("finished");
    });
  });

  if (database.kind === "postgres")
    test.each(["review", "automatic"] as const)(
      "a request of an account that is being deleted waits for that and is refused, if transfers are set to %s",
      async (setting) => {
        const { store } = seller();
        const license = await seller().sold(seller()[setting]);
        const before = await seller().row(license.id);
        const { answer } = await store.transaction(async (db) => {
          await removePortalPerson(db, license.customer.personId);
          const waiting = seller().request(license);
          await until("it waits for the deletion", async () => (await lockWaits(store.reads)) === 1);
          return { answer: waiting };
        });
        expect((await answer).body.code).toBe("sign_in_required");
        expect(await seller().states(license.id)).toEqual([]);
        expect(await seller().row(license.id)).toEqual(before);
      },
    );
});

/** An organization with transfers. On PostgreSQL, what is done elsewhere is done on another node. */
function prepareRaces({ kind, make }: TestedDatabase) {
  let seller: TransferSeller;
  let second: ServerProcess;
  beforeAll(async () => {
    seller = await openTransferSeller(make);
    second = kind === "postgres" ? await startOtherNode(seller.environment) : seller.server;
  });
  afterAll(() => seller.close());

  const elsewhere = (): ManageClient => manageClient(second.url, seller.owner.token);
  const sold = async (productId = seller.review): Promise<Transferred> => {
    const email = `ada-${newId()}@example.com`;
    const added = await addLicense({ ...seller, productId }, { customer: { email, name: "Ada" } });
    const customer = await seller.signIn({ email });
    const license = { ...added, customerId: String(added.customerId), email, customer };
    return { license, productId, id: "" };
  };
  return {
    seller: () => seller,
    elsewhere,
    otherUrl: () => second.url,
    sold: () => sold(),
    soldAutomatic: () => sold(seller.automatic),
    pending: async (productId = seller.review): Promise<Transferred> => {
      const at = await sold(productId);
      return { ...at, id: await seller.requested(at.license) };
    },
    request: ({ license }: Transferred) => seller.request(license),
    approve: ({ id }: Transferred) => seller.approve(id),
    approveElsewhere: ({ id }: Transferred) => elsewhere().post(`/transfers/${id}/approve`),
    reject: ({ id }: Transferred) => elsewhere().post(`/transfers/${id}/reject`, { reason: "No." }),
    cancel: ({ license, id }: Transferred) => license.customer.post(`/transfers/${id}/cancel`),
    /**
     * What must hold no matter which was first: nothing waits for a license that is gone or belongs to another customer,
     * each decision has one event, and a license was transferred exactly if a transfer of it was approved. Returns the
     * states of its transfers.
     */
    consistent: async ({ license: { id, key, customerId } }: Transferred) => {
      const rows = await seller.rows(id);
      const license = await seller.row(id);
      const types = await seller.types(id);
      const events = (type: string) => types.filter((one) => one === type).length;
      const of = (state: string) => rows.filter((row) => row.state === state);
      expect(of("pending").length).toBeLessThanOrEqual(1);
      for (const { from_customer_id: from } of of("pending")) expect(license?.customer_id).toBe(from);
      expect(events("license.transfer_requested")).toBe(rows.length);
      expect(events("license.transferred")).toBe(of("approved").length);
      expect(events("license.transfer_rejected")).toBe(of("rejected").length);
      expect(events("license.transfer_cancelled")).toBe(of("cancelled").length);
      const entries = (await seller.audited(id)).filter(({ action }) => action === "license.transferred");
      expect(entries).toHaveLength(of("approved").length);
      const isTransferred = of("approved").length > 0;
      if (license !== undefined) expect(license.license_key !== key).toBe(isTransferred);
      if (isTransferred) expect(license?.customer_id).not.toBe(customerId);
      return rows.map(({ state }): string => state).sort();
    },
  };
}

let otherNode: Promise<ServerProcess> | undefined;
afterAll(async () => {
  await (await otherNode)?.stop();
});

/** Another server on the same database, for all tests of this file. */
function startOtherNode(environment: Readonly<Record<string, string>>): Promise<ServerProcess> {
  otherNode ??= startServerProcess({ ...environment, PORT: "0" });
  return otherNode;
}
