import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { removePortalPerson } from "@countersign/store/queries/portal/people";
import { addLicense } from "../support/add-license.ts";
import { apiOf } from "../support/api.ts";
import { databases, on, type TestedDatabase } from "../support/databases.ts";
import { importFile } from "../support/license-files.ts";
import { lockWaits } from "../support/lock-waits.ts";
import { type ManageClient, manageClient } from "../support/manage-client.ts";
import { withSecondNode } from "../support/nodes.ts";
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

describe.each(tested)("at the same moment on $kind", (database) => {
  const races = prepareRaces(database);
  describe("decisions on a transfer", () => decisions(races));
  describe("a transfer and a change", () => changesMeanwhile(races, database.kind));
});

type Races = ReturnType<typeof prepareRaces>;

function decisions(races: Races): void {
  const { sold, soldAutomatic, pending, request, approve, approveElsewhere, reject, cancel } = races;

  const oneOfTwo = "done,transfer_not_pending";
  const [approved, cancelled] = [["approved"], ["cancelled"]];
  const onePending = ["done", ...Array(4).fill("transfer_pending")].join();
  const oneAutomatic = "done,not_found,not_found";
  const eitherEnd = ["approved", "cancelled"];
  const several = (count: number) => Array<Act>(count).fill(request);
  const contests: [string, () => Promise<Transferred>, Act[], outcomes: string, states: string[]][] = [
    ["one of several requests is accepted", sold, several(5), onePending, ["pending"]],
    ["one of several automatic requests transfers", soldAutomatic, several(3), oneAutomatic, approved],
    ["one of two approvals transfers", pending, [approve, approveElsewhere], oneOfTwo, approved],
    ["an approval or a cancellation wins", pending, [approveElsewhere, cancel], oneOfTwo, eitherEnd],
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
      const { license_key, customer_id } = (await races.seller().row(at.license.id)) ?? {};
      if (transferred !== undefined)
        expect(transferred.data.license).toMatchObject({ license_key, global_customer_id: customer_id });
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
}

function changesMeanwhile(races: Races, kind: TestedDatabase["kind"]): void {
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

  type Start = () => Promise<Transferred>;
  const acts: Readonly<Record<string, readonly [Start, Act]>> = {
    "an approval": [pending, approve],
    "a cancellation": [pending, cancel],
    "a request": [sold, request],
    "an automatic request": [soldAutomatic, request],
  };
  type Check = (at: Transferred, isFirst: boolean) => Promise<unknown>;
  /** The changes, and what holds after each whether or not it was first. */
  const changes: Readonly<Record<string, readonly [Act, Check, Start?]>> = {
    "the license's deletion": [deleteLicense, isGone],
    "its revocation": [revoke, isRevoked],
    // The seller's choice is the last word.
    "another customer": [changeCustomer, isChosen],
    // The license goes to one of the two, and is never lost.
    "a new identifier of its customer": [
      changeIdentifier,
      async (at, isFirst) => expect((await emailOf(at)) === chosen(at)).toBe(!isFirst),
    ],
    "archiving the product": [archive, nothingElse, async () => pending(await seller().product())],
    "suspending the organization": [suspend, restore],
    "the deletion of its account": [deleteAccount, namesNobody],
  };
  const cases = [
    ["an approval", "the license's deletion", "approved", "cancelled", "transfer_not_pending"],
    ["a cancellation", "the license's deletion", "cancelled", "cancelled", "transfer_not_pending"],
    ["a request", "the license's deletion", "cancelled", null, "not_found"],
    ["a request", "its revocation", "pending", null, "transfer_license_revoked"],
    ["an automatic request", "its revocation", "approved", null, "transfer_license_revoked"],
    ["an approval", "its revocation", "approved", "pending", "transfer_license_revoked"],
    ["an approval", "another customer", "approved", "cancelled", "transfer_not_pending"],
    ["a request", "another customer", "cancelled", null, "not_found"],
    ["an approval", "a new identifier of its customer", "approved", "cancelled", "transfer_not_pending"],
    ["an approval", "archiving the product", "approved", "pending", "transfer_product_inactive"],
    ["an approval", "suspending the organization", "approved", "pending", "organization_suspended"],
    ["a request", "the deletion of its account", "cancelled", null, "sign_in_required"],
    ["an automatic request", "the deletion of its account", "approved", null, "sign_in_required"],
  ] as const;
  const title = "%s and %s: the transfer is %s if the first is first, and otherwise %p, with the refusal %s";
  test.each(cases)(title, async (actName, changeName, ifFirst, ifNot, refused) => {
    const [usualStart, act] = acts[actName] ?? [sold, request];
    const [change, after, start = usualStart] = changes[changeName] ?? [revoke, isRevoked];
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
        expect(["done", "transfer_not_pending"]).toContain(outcome(answer));
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

  if (kind === "postgres")
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
}

/** An organization with transfers. On PostgreSQL, what is done elsewhere is done on another node. */
function prepareRaces({ kind, make }: TestedDatabase) {
  let seller: TransferSeller;
  let otherUrl = "";
  let close = async () => {};
  beforeAll(async () => {
    seller = await openTransferSeller(make);
    const opened = kind === "postgres" ? await withSecondNode(seller) : { ...seller, second: seller.server };
    otherUrl = opened.second.url;
    close = opened.close;
  });
  afterAll(() => close());

  const elsewhere = (): ManageClient => manageClient(otherUrl, seller.owner.token);
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
    otherUrl: () => otherUrl,
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
