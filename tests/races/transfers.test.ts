import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { newId } from "@countersign/store/new-id";
import {
  giveIdentity,
  lockedPortalPerson,
  removePortalPerson,
} from "@countersign/store/queries/portal/people";
import { apiOf } from "../support/api.ts";
import { databases, on, type TestedDatabase } from "../support/databases.ts";
import { importFile } from "../support/license-files.ts";
import { lockWaits } from "../support/lock-waits.ts";
import { manageClient } from "../support/manage-client.ts";
import { withSecondNode } from "../support/nodes.ts";
import { openTransferSeller, type Sold, someoneNew } from "../support/transfer-fixture.ts";
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

describe.each(tested)("races on $kind", (database) => {
  // Complete before the first test.
  const races = {} as Races;
  beforeAll(async () => {
    Object.assign(races, await openRaces(database));
  });
  afterAll(() => races.close());
  describe("decisions on a transfer", () => decisions(races));
  describe("a transfer and a change", () => changesMeanwhile(races, database.kind));
  // On SQLite, a request that waits for another transaction is not seen waiting.
  if (database.kind === "postgres")
    describe("an identity that is lost meanwhile", () => identityLostMeanwhile(races));
});

type Races = Awaited<ReturnType<typeof openRaces>>;
type Start = keyof Races["starts"];
type Act = keyof Races["acts"];

function decisions(races: Races): void {
  const onePending = ["done", ...Array(4).fill("transfer_pending")].join();
  const oneTransfer = "done,not_found,not_found";
  const oneOfTwo = "done,transfer_not_pending";
  const eitherEnd = ["approved", "cancelled"];
  const requests = (count: number) => Array<Act>(count).fill("request");
  const contests: [string, Start, Act[], outcomes: string, states: string[]][] = [
    ["one of several requests is accepted", "sold", requests(5), onePending, ["pending"]],
    ["one of several automatic requests transfers", "automatic", requests(3), oneTransfer, ["approved"]],
    ["one of two approvals transfers", "pending", ["approve", "approveElsewhere"], oneOfTwo, ["approved"]],
    ["an approval or a cancellation wins", "pending", ["approveElsewhere", "cancel"], oneOfTwo, eitherEnd],
    ["an approval or a rejection wins", "pending", ["approve", "reject"], oneOfTwo, ["approved", "rejected"]],
    ["one of two cancellations is accepted", "pending", ["cancel", "cancel"], oneOfTwo, ["cancelled"]],
  ];
  test.each(contests)("%s", async (_, start, acts, outcomes, [ofFirst = "", ofSecond = ofFirst]) => {
    for (let round = 0; round < rounds; round++) {
      const at = await races.starts[start]();
      const answers = await Promise.all(acts.map((act) => races.acts[act](at)));
      expect(answers.map(outcome).sort().join()).toBe(outcomes);
      expect(await races.consistent(at)).toEqual([answers[0]?.status === 409 ? ofSecond : ofFirst]);
      // The event has the key and the customer that the license has now.
      const events = await races.events(at.license.id);
      const transferred = events.find(({ type }) => type === "license.transferred");
      const { license_key, customer_id } = (await races.row(at.license.id)) ?? {};
      if (transferred !== undefined)
        expect(transferred.data.license).toMatchObject({ license_key, global_customer_id: customer_id });
    }
  });

  const customerOf = async ({ license }: Transferred) => (await races.row(license.id))?.customer_id;
  /** Licenses with a transfer to each of these email addresses, approved on both nodes at once. */
  const approvedAtOnce = async (licenses: readonly Transferred[], emails: readonly string[]) => {
    const waiting: Transferred[] = [];
    for (const [index, at] of licenses.entries())
      waiting.push({ ...at, id: await races.requested(at.license, { email: emails[index] }) });
    const { approve, approveElsewhere } = races.acts;
    const answers = waiting.map((at, index) => (index % 2 === 0 ? approve(at) : approveElsewhere(at)));
    expect((await Promise.all(answers)).map(outcome)).toEqual(Array(licenses.length).fill("done"));
    return Promise.all(licenses.map(customerOf));
  };

  test("two licenses that change customers with each other are both transferred", async () => {
    for (let round = 0; round < rounds; round++) {
      const [a, b] = [await races.starts.sold(), await races.starts.sold()];
      const customers = await approvedAtOnce([a, b], [b.license.email, a.license.email]);
      expect(customers).toEqual([b.license.customerId, a.license.customerId]);
    }
  });

  test("many licenses that go to the same new customer are all transferred", async () => {
    const licenses: Transferred[] = [];
    for (let count = 0; count < 6; count++) licenses.push(await races.starts.sold());
    const customers = await approvedAtOnce(licenses, Array(6).fill(someoneNew()));
    expect(new Set(customers).size).toBe(1);
  });

  test("a validation during the transfer sees the license before or after it, never in between", async () => {
    const { body } = await races.owner.api.post(`/products/${races.review}/api-keys`, { name: "Race" });
    const apis = [races.url, races.otherUrl].map((url) => apiOf(url, String(body.api_key ?? body.key)));
    const validate = async (key: string, at: number) =>
      (await apis[at % 2]?.validate({ license_key: key }))?.body.status;
    for (let round = 0; round < rounds; round++) {
      const at = await races.starts.pending();
      const [approved, ...results] = await Promise.all([
        races.acts.approve(at),
        ...[0, 1, 2, 3, 4, 5].map((count) => validate(at.license.key, count)),
      ]);
      expect(outcome(approved)).toBe("done");
      for (const status of results) expect(["active", "license_not_found"]).toContain(String(status));
      expect(await validate(at.license.key, 1)).toBe("license_not_found");
      expect(await validate(String((await races.row(at.license.id))?.license_key), 0)).toBe("active");
    }
  });
}

function changesMeanwhile(races: Races, kind: TestedDatabase["kind"]): void {
  const acts: Readonly<Record<string, readonly [Start, Act]>> = {
    "an approval": ["pending", "approve"],
    "a cancellation": ["pending", "cancel"],
    "a request": ["sold", "request"],
    "an automatic request": ["automatic", "request"],
  };
  const chosen = ({ license }: Transferred) => `chosen-${license.id}@example.com`;
  const emailOf = async ({ license }: Transferred) =>
    (await races.owner.api.get(`/licenses/${license.id}`)).body.customer_email;
  const isGone = async ({ license }: Transferred) => expect(await races.row(license.id)).toBeUndefined();
  const ofOrganization = (action: string, body?: object) =>
    races.admin.api.post(`/admin/organizations/${races.organizationId}/${action}`, body);

  type Change = (at: Transferred) => Promise<Result>;
  type Check = (at: Transferred, isFirst: boolean) => unknown;
  /** The changes, which always succeed, and what holds after each whether or not it was first. */
  const changes: Readonly<Record<string, readonly [Change, Check, Start?]>> = {
    "the license's deletion": [({ license }) => races.elsewhere.delete(`/licenses/${license.id}`), isGone],
    "its revocation": [
      ({ license }) => races.elsewhere.post(`/licenses/${license.id}/revoke`, {}),
      async ({ license }) => expect((await races.row(license.id))?.revoked_at).not.toBeNull(),
    ],
    // The seller's choice is the last word.
    "another customer": [
      (at) => races.elsewhere.patch(`/licenses/${at.license.id}`, { customer_email: chosen(at) }),
      async (at) => expect(await emailOf(at)).toBe(chosen(at)),
    ],
    // The license goes to one of the two, and is never lost.
    "a new identifier of its customer": [
      (at) => {
        const customers = `/organizations/${races.organizationId}/customers`;
        return races.elsewhere.patch(`${customers}/${at.license.customerId}`, { email: chosen(at) });
      },
      async (at, isFirst) => expect((await emailOf(at)) === chosen(at)).toBe(!isFirst),
    ],
    "archiving the product": [
      ({ productId }) => races.elsewhere.patch(`/products/${productId}`, { status: "archived" }),
      () => {},
      "pendingAlone",
    ],
    "suspending the organization": [
      () => ofOrganization("suspend", { reason: "Fraud." }),
      () => ofOrganization("restore"),
    ],
    "the deletion of its account": [
      ({ license }) => license.customer.delete("/me"),
      async ({ license }) => {
        for (const { requested_by: person } of await races.rows(license.id)) expect(person).toBeNull();
      },
    ],
  };
  test.each([
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
  ])(
    "%s and %s at once leave the transfer %s if the first is first, and otherwise %p, with the refusal %s",
    async (...row) => {
      const [actName, changeName, ifFirst, ifNot, refused] = row;
      const [usualStart, act] = acts[actName] ?? missing(actName);
      const [change, after, start = usualStart] = changes[changeName] ?? missing(changeName);
      for (let round = 0; round < rounds; round++) {
        const at = await races.starts[start]();
        const [acted, changed] = await Promise.all([races.acts[act](at), change(at)]);
        expect(outcome(changed)).toBe("done");
        expect(["done", refused]).toContain(outcome(acted));
        const isFirst = acted.status < 300;
        const state = isFirst ? ifFirst : ifNot;
        expect(await races.consistent(at)).toEqual(state === null ? [] : [state]);
        await after(at, isFirst);
      }
    },
  );

  const changesOfMany: [string, (waiting: readonly Transferred[]) => Promise<void>][] = [
    [
      "all their licenses are deleted at once",
      async (waiting) => {
        const selection = { ids: waiting.map(({ license }) => license.id) };
        const path = `/organizations/${races.organizationId}/licenses/bulk`;
        expect(outcome(await races.elsewhere.post(path, { action: "delete", selection }))).toBe("done");
        await Promise.all(waiting.map(isGone));
      },
    ],
    [
      "an import overwrites the customers",
      async (waiting) => {
        const email = someoneNew();
        const rows = waiting.map(({ license }) => `${license.key},${email}\n`).join("");
        const query = "?on_existing=update&mode=row_by_row";
        const file = `license_key,customer_email\n${rows}`;
        const job = await importFile(races, file, query, { productId: races.review });
        expect(job.state).toBe("finished");
      },
    ],
  ];
  test.each(changesOfMany)(
    "approvals while %s either succeed first or are refused, and then the transfers are cancelled",
    async (_, change) => {
      for (let round = 0; round < Math.ceil(rounds / 4); round++) {
        const waiting: Transferred[] = [];
        for (let count = 0; count < 6; count++) waiting.push(await races.starts.pending());
        const [, ...answers] = await Promise.all([change(waiting), ...waiting.map(races.acts.approve)]);
        for (const [index, answer] of answers.entries()) {
          expect(["done", "transfer_not_pending"]).toContain(outcome(answer));
          const state = answer.status === 200 ? "approved" : "cancelled";
          expect(await races.consistent(waiting[index] ?? missing(`${index}`))).toEqual([state]);
        }
      }
    },
  );

  if (kind === "postgres")
    test.each(["review", "automatic"] as const)(
      "a request of an account that is being deleted waits for that and is refused, if transfers are set to %s",
      async (setting) => {
        const { store } = races;
        const license = await races.sold(races[setting]);
        const before = await races.row(license.id);
        const { answer } = await store.transaction(async (db) => {
          await removePortalPerson(db, license.customer.personId);
          const waiting = races.request(license);
          await until("it waits for the deletion", async () => (await lockWaits(store.reads)) === 1);
          return { answer: waiting };
        });
        expect((await answer).body.code).toBe("sign_in_required");
        expect(await races.states(license.id)).toEqual([]);
        expect(await races.row(license.id)).toEqual(before);
      },
    );
}

function identityLostMeanwhile(races: Races): void {
  test.each(["review", "automatic"] as const)(
    "a request is refused if its customer loses the email address while it waits, with transfers set to %s",
    async (setting) => {
      const license = await races.sold(races[setting]);
      const before = await races.row(license.id);
      await refusedWithoutIdentity(license, () => races.request(license));
      expect(await races.states(license.id)).toEqual([]);
      expect(await races.row(license.id)).toEqual(before);
    },
  );

  test("a cancellation is refused if its customer, who did not request the transfer, loses the email address while it waits", async () => {
    const license = await races.sold(races.review);
    const id = await races.requested(license);
    await races.change("transfers", { id }, { requested_by: null });
    await refusedWithoutIdentity(license, () => license.customer.post(`/transfers/${id}/cancel`));
    expect(await races.states(license.id)).toEqual(["pending"]);
  });

  const refusedWithoutIdentity = async ({ id, customer, email }: Sold, act: () => Promise<Result>) => {
    const { store } = races;
    const another = { kind: "email", value: someoneNew(), name: null } as const;
    const { answer } = await store.transaction(async (db) => {
      await lockedPortalPerson(db, customer.personId);
      await store.bulk.lockLicenses(db, [id]);
      const waiting = act();
      await until("it waits", async () => (await lockWaits(store.reads)) === 1);
      // The session continues.
      await giveIdentity(db, customer.personId, another, newId, Date.now());
      await db.deleteFrom("portal_identities").where("value", "=", email).execute();
      return { answer: waiting };
    });
    expect((await answer).body.code).toBe("not_found");
  };
}

function missing(name: string): never {
  throw new Error(`There is no ${name}.`);
}

/** An organization with transfers. On PostgreSQL, what is done elsewhere is done on another node. */
async function openRaces({ kind, make }: TestedDatabase) {
  const seller = await openTransferSeller(make);
  const nodes = kind === "postgres" ? await withSecondNode(seller) : { ...seller, second: seller.server };
  const otherUrl = nodes.second.url;
  const elsewhere = manageClient(otherUrl, seller.owner.token);
  const sold = async (productId = seller.review): Promise<Transferred> => {
    return { license: await seller.sold(productId), productId, id: "" };
  };
  const pending = async (productId?: string): Promise<Transferred> => {
    const at = await sold(productId);
    return { ...at, id: await seller.requested(at.license) };
  };
  return {
    ...seller,
    close: nodes.close,
    elsewhere,
    otherUrl,
    starts: {
      sold: () => sold(),
      automatic: () => sold(seller.automatic),
      pending: () => pending(),
      /** Of a product that has no other licenses. */
      pendingAlone: async () => pending(await seller.product()),
    },
    acts: {
      request: ({ license }: Transferred) => seller.request(license),
      approve: ({ id }: Transferred) => seller.approve(id),
      approveElsewhere: ({ id }: Transferred) => elsewhere.post(`/transfers/${id}/approve`),
      reject: ({ id }: Transferred) => elsewhere.post(`/transfers/${id}/reject`, { reason: "No." }),
      cancel: ({ license, id }: Transferred) => license.customer.post(`/transfers/${id}/cancel`),
    },
    /**
     * What must hold no matter which was first: nothing waits for a license that is gone or belongs to another customer,
     * each decision has one event, and a license was transferred exactly if a transfer of it was approved. Returns the
     * states of its transfers.
     */
    consistent: async ({ license: { id, key, customerId } }: Transferred) => {
      const rows = await seller.rows(id);
      const license = await seller.row(id);
      const types = await seller.types(id);
      const of = (state: string) => rows.filter((row) => row.state === state);
      expect(of("pending").length).toBeLessThanOrEqual(1);
      for (const { from_customer_id: from } of of("pending")) expect(license?.customer_id).toBe(from);
      for (const [type, count] of [
        ["license.transfer_requested", rows.length],
        ["license.transferred", of("approved").length],
        ["license.transfer_rejected", of("rejected").length],
        ["license.transfer_cancelled", of("cancelled").length],
      ] as const)
        expect([type, types.filter((one) => one === type).length]).toEqual([type, count]);
      const entries = (await seller.audited(id)).filter(({ action }) => action === "license.transferred");
      expect(entries).toHaveLength(of("approved").length);
      const isTransferred = of("approved").length > 0;
      if (license !== undefined) expect(license.license_key !== key).toBe(isTransferred);
      if (isTransferred) expect(license?.customer_id).not.toBe(customerId);
      return rows.map(({ state }): string => state).sort();
    },
  };
}
