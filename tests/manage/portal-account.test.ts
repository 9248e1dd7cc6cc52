import { expect, test } from "bun:test";
import { addTransfer } from "@countersign/store/queries/transfers/transfers";
import { organizationRemoval } from "../../apps/server/features/organizations/remove-due.ts";
import { addLicense } from "../support/add-license.ts";
import { problemOf } from "../support/answers.ts";
import { openedEmails } from "../support/emails.ts";
import { newestCode, type PortalClient, signedInCustomer } from "../support/portal-client.ts";
import { openPortalFixture } from "../support/portal-fixture.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";
import { transferRow } from "../support/transfer-row.ts";

const newEmail = () => `${newId()}@example.com`;

/** What becomes of people, their identities and sessions is tested in the store, with the queries of the portal. */
testsOn("postgres", "a customer's account in the portal", openPortalFixture, (fixture) => {
  const signedIn = async () => {
    const email = await fixture.customer();
    return { email, browser: await fixture.signedIn(email) };
  };
  const askToAdd = async (browser: PortalClient, email: string) => {
    expect((await browser.post("/me/emails", { email })).status).toBe(202);
    return newestCode(fixture.store, email, "portal_email");
  };
  const verify = (browser: PortalClient, email: string, code: string) =>
    browser.post("/me/emails/verify", { email, code });
  const add = async (browser: PortalClient, email: string) =>
    verify(browser, email, (await askToAdd(browser, email)).code);
  const values = (me: { body: { identities: { value: string }[] } }) =>
    me.body.identities.map(({ value }) => value);
  const isSignedIn = async (browser: PortalClient) => (await browser.get("/me")).status === 200;

  test("a customer's language can be chosen and left to the browser again", async () => {
    const { browser } = await signedIn();
    for (const [body, locale] of [
      [{ locale: "es" }, "es"],
      [{}, "es"],
      [{ locale: null }, null],
    ] as const)
      expect((await browser.patch("/me", body)).body.locale).toBe(locale);
  });

  test("a customer's sessions are listed, and ended one by one", async () => {
    const { browser } = await signedIn();
    const other = await fixture.signedIn(browser);
    const { data } = (await browser.get("/me/sessions")).body;
    expect(data).toMatchObject([{ is_current: false }, { is_current: true }]);
    expect((await browser.delete(`/me/sessions/${data[0].id}`)).status).toBe(204);
    expect(await isSignedIn(other)).toBe(false);
  });

  test("an email address is added with its own code, and signs in the same person from then on", async () => {
    const { email, browser } = await signedIn();
    const second = await fixture.customer();
    const added = await add(browser, second.toUpperCase());
    expect(values(added)).toEqual([email, second]);
    const other = await signedInCustomer(fixture.url, fixture.store, second);
    expect(values(await other.get("/me"))).toEqual([email, second]);
  });

  test("a code works only in a session of the person who requested it, and only for its purpose", async () => {
    const [{ browser }, outsider] = [await signedIn(), await signedIn()];
    const email = await fixture.customer();
    await outsider.browser.post("/sign-in", { email });
    const toSignIn = (await newestCode(fixture.store, email)).code;
    const { code, link } = await askToAdd(browser, email);
    expect(link).toBe("");
    for (const refused of [
      await verify(outsider.browser, email, code),
      await browser.post("/sign-in/verify", { email, code }),
      await verify(outsider.browser, email, toSignIn),
    ])
      expect(problemOf(refused)).toEqual([401, "wrong_sign_in_code"]);
    expect((await verify(browser, email, code)).status).toBe(200);
  });

  test("a customer cannot have emails sent to any number of email addresses", async () => {
    const { browser } = await signedIn();
    const statuses: number[] = [];
    for (let at = 0; at < 6; at++) {
      const { status, headers } = await browser.post("/me/emails", { email: newEmail() });
      statuses.push(status);
      if (status === 429) expect(Number(headers.get("retry-after"))).toBeWithin(1, 601);
    }
    expect(statuses).toEqual([202, 202, 202, 202, 429, 429]);
  });

  test("a customer's identities are removed until one is left, even by concurrent requests", async () => {
    const { email, browser } = await signedIn();
    const remove = ({ id }: { id: string }) => browser.delete(`/me/identities/${id}`);
    const { identities } = (await add(browser, await fixture.customer())).body;
    const removed = await remove(identities[1]);
    expect([removed.status, values(removed)]).toEqual([200, [email]]);
    const again = (await add(browser, await fixture.customer())).body.identities;
    const answers = await Promise.all<Awaited<ReturnType<typeof remove>>>(again.map(remove));
    expect(answers.map(({ body }) => body.code).sort()).toEqual(["last_sign_in_method", undefined]);
  });

  test("an account has at most ten identities", async () => {
    const emails = Array.from({ length: 9 }, newEmail);
    const browser = await fixture.signedIn({ emails });
    const [tenth, eleventh] = [await fixture.customer(), await fixture.customer()];
    const { code } = await askToAdd(browser, eleventh);
    expect((await add(browser, tenth)).status).toBe(200);
    expect((await verify(browser, eleventh, code)).body.code).toBe("identity_limit_reached");
    expect((await browser.post("/me/emails", { email: eleventh })).status).toBe(409);
  });

  /** A license of this customer, and a transfer of it that the person requested and that waits. */
  const pendingTransfer = async (email: string, personId: string) => {
    const license = await addLicense(fixture, { customer: { email } });
    const of = { organization_id: fixture.organizationId, product_id: fixture.productId };
    const by = { from_customer_id: String(license.customerId), requested_by: personId };
    const transfer = transferRow({ ...of, license_id: license.id, ...by });
    await fixture.store.transaction((db) => addTransfer(db, transfer));
    return transfer;
  };

  test("deleting the account ends every session, removes what was proven, and cancels its pending transfers", async () => {
    const { email, browser } = await signedIn();
    const other = await fixture.signedIn(browser);
    const { id, license_id, from_customer_id } = await pendingTransfer(email, browser.personId);
    const gone = await browser.delete("/me");
    expect([gone.status, browser.browser.cookies.has("countersign_portal")]).toEqual([204, false]);
    expect(await isSignedIn(other)).toBe(false);
    const cancelled = { state: "cancelled", decided_by: "customer", requested_by: null } as const;
    expect(await fixture.stored("transfers", { id })).toMatchObject([cancelled]);
    expect(await fixture.stored("events", { license_id })).toMatchObject([
      { type: "license.transfer_cancelled" },
    ]);
    // What customers do to their account is in nobody's audit log, what they do to a license is in the seller's.
    const { organizationId: organization_id } = fixture;
    const entries = await fixture.stored("audit_log", { organization_id, actor_kind: "customer" });
    expect(entries).toMatchObject([
      { action: "license.transfer_cancelled", subject_id: license_id, actor_id: from_customer_id },
    ]);
    // They are still a customer, and can sign in again as a new person.
    const again = await signedInCustomer(fixture.url, fixture.store, email);
    expect(values(await again.get("/me"))).toEqual([email]);
    expect((await again.get("/transfers")).body.data).toEqual([]);
  });

  test("a pending transfer is cancelled when its requester loses the identity that has the license", async () => {
    const [before, after] = [await signedIn(), await signedIn()];
    const second = await fixture.customer();
    await add(before.browser, second);
    const [own, other] = [
      await pendingTransfer(before.email, before.browser.personId),
      await pendingTransfer(second, before.browser.personId),
    ];
    const states = async () => {
      const [first, last] = [
        await fixture.stored("transfers", { id: own.id }),
        await fixture.stored("transfers", { id: other.id }),
      ];
      return [...first, ...last].map(({ state }): string => state);
    };
    expect(values(await add(after.browser, before.email))).toEqual([after.email, before.email]);
    expect(await states()).toEqual(["cancelled", "pending"]);
    const cancelled = { type: "license.transfer_cancelled" };
    expect(await fixture.stored("events", { license_id: own.license_id })).toMatchObject([cancelled]);
    const { organizationId: organization_id } = fixture;
    const entry = { organization_id, subject_id: own.license_id };
    expect(await fixture.stored("audit_log", entry)).toMatchObject([
      { action: "license.transfer_cancelled", actor_kind: "customer", actor_id: own.from_customer_id },
    ]);
    // Also by removing it.
    expect((await add(before.browser, await fixture.customer())).status).toBe(200);
    const { identities } = (await before.browser.get("/me")).body;
    const { id } = identities.find(({ value }: { value: string }) => value === second);
    expect((await before.browser.delete(`/me/identities/${id}`)).status).toBe(200);
    expect(await states()).toEqual(["cancelled", "cancelled"]);
  });

  test("a person whose only identity moves is signed out, and their pending transfers are cancelled", async () => {
    const [before, after] = [await signedIn(), await signedIn()];
    const { id } = await pendingTransfer(before.email, before.browser.personId);
    expect(values(await add(after.browser, before.email))).toEqual([after.email, before.email]);
    expect(await isSignedIn(before.browser)).toBe(false);
    expect(await fixture.stored("transfers", { id })).toMatchObject([
      { state: "cancelled", requested_by: null },
    ]);
  });

  test.each(["who is deleted", "of a removed organization"])(
    "a customer %s is signed out and unknown, unless another organization has them",
    async (ending) => {
      const seller = await fixture.seller();
      const { organizationId: id, owner } = seller;
      const [email, shared] = [await fixture.customer(seller), await fixture.customer(seller)];
      await fixture.customer(fixture, shared);
      const [alone, known] = [await fixture.signedIn(email), await fixture.signedIn(shared)];
      if (ending === "who is deleted") {
        const { data } = (await owner.api.get(`/organizations/${id}/customers`)).body;
        for (const customer of data)
          expect((await owner.api.delete(`/organizations/${id}/customers/${customer.id}`)).status).toBe(204);
      } else {
        await fixture.change("organizations", { id }, { delete_after: Date.now() - 1_000 });
        await organizationRemoval(fixture.store, { deleteOrganization: async () => {} }).run();
      }
      expect([await isSignedIn(alone), await isSignedIn(known)]).toEqual([false, true]);
      await alone.post("/sign-in", { email });
      expect(await openedEmails(fixture.store, { to: email })).toEqual([]);
    },
  );
});
