import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { addPassword } from "@countersign/store/queries/identity/sign-in";
import { AccountLimits } from "../../apps/server/features/identity/account-limits.ts";
import { OrganizationRemoval } from "../../apps/server/features/organizations/remove-due.ts";
import { requestAddition } from "../../apps/server/features/portal/codes.ts";
import { portalPruning } from "../../apps/server/features/portal/prune-expired.ts";
import { neverAborted } from "../../apps/server/jobs/in-batches.ts";
import { Browser } from "../support/browser.ts";
import { databases } from "../support/databases.ts";
import { openedEmails } from "../support/emails.ts";
import { newestCode, PortalClient, signedInCustomer } from "../support/portal-client.ts";
import { openPortalFixture, type PortalFixture } from "../support/portal-fixture.ts";
import { transferOf } from "../support/portal-rows.ts";
import { cheapHash, goodPassword } from "../support/sign-in-fixture.ts";
import { newId } from "../support/test-organization.ts";

setDefaultTimeout(60_000);

describe.each(databases)("a customer's account in the portal on $kind", ({ make }) => {
  let fixture: PortalFixture;
  beforeAll(async () => {
    fixture = await openPortalFixture(make);
  });
  afterAll(() => fixture.close());

  const signedIn = async () => {
    const email = await fixture.customer();
    return { email, browser: await signedInCustomer(fixture.url, fixture.store, email) };
  };
  const add = async (browser: PortalClient, email: string) => {
    expect((await browser.post("/me/emails", { email })).status).toBe(202);
    const { code } = await newestCode(fixture.store, email, "portal_email");
    return browser.post("/me/emails/verify", { email, code });
  };
  const values = (me: { body: { identities: { value: string }[] } }) =>
    me.body.identities.map(({ value }) => value);
  const personOf = async (value: string) =>
    (
      await fixture.store.reads
        .selectFrom("portal_identities")
        .select("person_id")
        .where("value", "=", value)
        .executeTakeFirst()
    )?.person_id;
  const exists = async (personId: string) =>
    (await fixture.store.reads
      .selectFrom("portal_people")
      .select("id")
      .where("id", "=", personId)
      .executeTakeFirst()) !== undefined;

  test("the language can be chosen and left to the browser again", async () => {
    const { browser } = await signedIn();
    expect((await browser.get("/me")).body.locale).toBeNull();
    expect((await browser.patch("/me", { locale: "es" })).body.locale).toBe("es");
    expect((await browser.patch("/me", {})).body.locale).toBe("es");
    expect((await browser.patch("/me", { locale: null })).body.locale).toBeNull();
    expect((await browser.patch("/me", { locale: "xx" })).status).toBe(422);
  });

  test("sessions are listed newest first and can be ended one by one, only by their person", async () => {
    const { email, browser } = await signedIn();
    const other = await signedInCustomer(fixture.url, fixture.store, email);
    const { data } = (await browser.get("/me/sessions")).body;
    expect(data.map((session: { is_current: boolean }) => session.is_current)).toEqual([false, true]);
    const outsider = await signedIn();
    const path = `/me/sessions/${data[0].id}`;
    expect((await outsider.browser.delete(path)).status).toBe(404);
    expect((await other.get("/me")).status).toBe(200);
    expect((await browser.delete(path)).status).toBe(204);
    expect((await other.get("/me")).status).toBe(401);
    expect((await browser.delete(path)).status).toBe(404);
  });

  test("a person has at most 100 sessions: the oldest ends", async () => {
    const { email, browser } = await signedIn();
    const personId = (await personOf(email)) ?? "";
    await fixture.store.transaction(async (db) => {
      for (let at = 0; at < 99; at++)
        await db
          .insertInto("portal_sessions")
          .values({
            id: newId(),
            person_id: personId,
            token_hash: newId(),
            signed_in_by: "email",
            ip: null,
            user_agent: null,
            created_at: Date.now() + at,
            last_used_at: Date.now(),
            expires_at: Date.now() + 1_000_000,
          })
          .execute();
    });
    expect((await browser.get("/me/sessions")).body.data).toHaveLength(100);
    await signedInCustomer(fixture.url, fixture.store, email);
    expect((await browser.get("/me")).status).toBe(401);
  });

  test("an email address is added with its own code", async () => {
    const { email, browser } = await signedIn();
    const second = await fixture.customer();
    const added = await add(browser, second.toUpperCase());
    expect(added.status).toBe(200);
    expect(values(added)).toEqual([email, second]);
    // Both sign in the same person now.
    const other = await signedInCustomer(fixture.url, fixture.store, second);
    expect(values(await other.get("/me"))).toEqual([email, second]);
  });

  test("a code for adding works only in a session of the person who requested it, and never signs in", async () => {
    const { browser } = await signedIn();
    const outsider = await signedIn();
    const email = await fixture.customer();
    await browser.post("/me/emails", { email });
    const { code, link } = await newestCode(fixture.store, email, "portal_email");
    expect(link).toBe("");
    expect((await outsider.browser.post("/me/emails/verify", { email, code })).body.code).toBe(
      "wrong_sign_in_code",
    );
    expect((await browser.post("/sign-in/verify", { email, code })).body.code).toBe("wrong_sign_in_code");
    expect((await new PortalClient(fixture.url).post("/sign-in/verify", { email, code })).status).toBe(401);
    expect((await browser.post("/me/emails/verify", { email, code })).status).toBe(200);
  });

  test("a sign-in code does not add an email address", async () => {
    const { email: own, browser } = await signedIn();
    const email = await fixture.customer();
    await browser.post("/sign-in", { email });
    const { code } = await newestCode(fixture.store, email);
    expect((await browser.post("/me/emails/verify", { email, code })).body.code).toBe("wrong_sign_in_code");
    expect(values(await browser.get("/me"))).toEqual([own]);
  });

  test("a code for adding allows five attempts", async () => {
    const { browser } = await signedIn();
    const email = await fixture.customer();
    await browser.post("/me/emails", { email });
    const { code } = await newestCode(fixture.store, email, "portal_email");
    const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, "0");
    await Promise.all(
      Array.from({ length: 12 }, () => browser.post("/me/emails/verify", { email, code: wrong })),
    );
    expect((await browser.post("/me/emails/verify", { email, code })).status).toBe(401);
    expect(await fixture.codeRows(email)).toMatchObject([{ attempts: 5, other_attempts: 0 }]);
  });

  test("a customer cannot have emails sent to any number of email addresses", async () => {
    const { browser } = await signedIn();
    const statuses: number[] = [];
    for (let at = 0; at < 6; at++) {
      const answer = await browser.post("/me/emails", { email: `${newId()}@example.com` });
      statuses.push(answer.status);
      if (answer.status === 429) expect(Number(answer.headers.get("retry-after"))).toBeWithin(1, 601);
    }
    expect(statuses).toEqual([202, 202, 202, 202, 429, 429]);
  });

  test("codes for adding count like codes for signing in, so that accounts are no way to guess more often", async () => {
    const email = await fixture.customer();
    const { store, secrets, url } = fixture;
    let nowMs = Date.now();
    const parts = {
      store,
      secrets,
      limits: new AccountLimits(store, () => nowMs),
      countUnknownBrowser: () => {},
      portalUrl: `${url}/portal`,
    };
    const personId = (await personOf((await signedIn()).email)) ?? "";
    for (let at = 0; at < 144; at++) {
      nowMs += 600_000;
      await requestAddition(parts, { email, personId, ip: `10.8.0.${at}`, language: "en", nowMs });
    }
    expect((await openedEmails(store, { to: email })).length).toBeWithin(20, 23);
  });

  test("an identity that another person has moves, and a person left without any is gone", async () => {
    const first = await signedIn();
    const second = await signedIn();
    const [firstId, secondId] = [await personOf(first.email), await personOf(second.email)];
    expect(values(await add(first.browser, second.email))).toEqual([first.email, second.email]);
    expect(await personOf(second.email)).toBe(firstId);
    expect(await exists(secondId ?? "")).toBe(false);
    expect((await second.browser.get("/me")).status).toBe(401);
    // A person who has another identity stays.
    const third = await signedIn();
    const thirdId = await personOf(third.email);
    await add(third.browser, second.email);
    expect(values(await third.browser.get("/me"))).toEqual([third.email, second.email]);
    expect(values(await first.browser.get("/me"))).toEqual([first.email]);
    expect(await personOf(second.email)).toBe(thirdId);
  });

  test("two people who add each other's email address at the same moment both end in a valid state", async () => {
    const [a, b] = [await signedIn(), await signedIn()];
    await a.browser.post("/me/emails", { email: b.email });
    await b.browser.post("/me/emails", { email: a.email });
    const codes = [
      (await newestCode(fixture.store, b.email, "portal_email")).code,
      (await newestCode(fixture.store, a.email, "portal_email")).code,
    ];
    const answers = await Promise.all([
      a.browser.post("/me/emails/verify", { email: b.email, code: codes[0] }),
      b.browser.post("/me/emails/verify", { email: a.email, code: codes[1] }),
    ]);
    for (const { status } of answers) expect([200, 401]).toContain(status);
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    const orphans = await fixture.store.reads
      .selectFrom("portal_people")
      .leftJoin("portal_identities", "portal_identities.person_id", "portal_people.id")
      .select("portal_people.id")
      .where("portal_identities.id", "is", null)
      .execute();
    expect(orphans).toEqual([]);
  });

  test("an identity is removed by its person only, and the last one cannot be", async () => {
    const { email, browser } = await signedIn();
    const [only] = (await browser.get("/me")).body.identities;
    expect((await browser.delete(`/me/identities/${only.id}`)).body.code).toBe("last_sign_in_method");
    const second = await fixture.customer();
    const { identities } = (await add(browser, second)).body;
    const outsider = await signedIn();
    expect((await outsider.browser.delete(`/me/identities/${identities[1].id}`)).status).toBe(404);
    const removed = await browser.delete(`/me/identities/${identities[1].id}`);
    expect([removed.status, values(removed)]).toEqual([200, [email]]);
    // Two at the same moment: one stays.
    const again = (await add(browser, await fixture.customer())).body.identities;
    const answers = await Promise.all(
      again.map(({ id }: { id: string }) => browser.delete(`/me/identities/${id}`)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await browser.get("/me")).body.identities).toHaveLength(1);
  });

  test("an account has at most ten identities", async () => {
    const { email, browser } = await signedIn();
    const personId = (await personOf(email)) ?? "";
    const addRows = (count: number) =>
      fixture.store.transaction(async (db) => {
        for (let at = 0; at < count; at++)
          await db
            .insertInto("portal_identities")
            .values({
              kind: "email",
              value: `${newId()}@example.com`,
              id: newId(),
              person_id: personId,
              name: null,
              verified_at: Date.now(),
            })
            .execute();
      });
    await addRows(8);
    const target = await fixture.customer();
    await browser.post("/me/emails", { email: target });
    await addRows(1);
    const { code } = await newestCode(fixture.store, target, "portal_email");
    expect((await browser.post("/me/emails/verify", { email: target, code })).body.code).toBe(
      "identity_limit_reached",
    );
    expect((await browser.post("/me/emails", { email: target })).status).toBe(409);
  });

  test("deleting the account ends every session and removes what was proven", async () => {
    const { email, browser } = await signedIn();
    const other = await signedInCustomer(fixture.url, fixture.store, email);
    const personId = (await personOf(email)) ?? "";
    await browser.post("/me/emails", { email: await fixture.customer() });
    const gone = await browser.delete("/me");
    expect([gone.status, browser.browser.cookies.has("countersign_portal")]).toEqual([204, false]);
    expect((await other.get("/me")).status).toBe(401);
    expect(await exists(personId)).toBe(false);
    // They are still a customer, and can sign in again as a new person.
    const again = await signedInCustomer(fixture.url, fixture.store, email);
    expect(values(await again.get("/me"))).toEqual([email]);
    expect(await personOf(email)).not.toBe(personId);
  });

  /** A license of this customer, and a transfer of it that they requested and that waits. */
  const pendingTransfer = async (email: string) => {
    const license = await fixture.owner.api.post(`/products/${fixture.productId}/licenses`, {
      customer_email: email,
    });
    expect(license.status).toBe(201);
    const customer = { email, personId: (await personOf(email)) ?? "" };
    return transferOf(fixture.store, { ...fixture, idFor: () => String(license.body.id) }, customer);
  };
  const storedTransfer = (id: string) =>
    fixture.store.reads.selectFrom("transfers").selectAll().where("id", "=", id).executeTakeFirst();

  test("deleting the account cancels its pending transfers, with audit entry and event", async () => {
    const { email, browser } = await signedIn();
    const id = await pendingTransfer(email);
    expect((await browser.delete("/me")).status).toBe(204);
    const transfer = await storedTransfer(id);
    expect(transfer).toMatchObject({ state: "cancelled", decided_by: "customer", requested_by: null });
    const events = await fixture.owner.api.get(`/organizations/${fixture.organizationId}/events`);
    const types = events.body.data.map(({ type }: { type: string }) => type);
    expect(types).toContain("license.transfer_cancelled");
    const entries = await fixture.store.reads
      .selectFrom("audit_log")
      .selectAll()
      .where("action", "=", "license.transfer_cancelled")
      .where("subject_id", "=", transfer?.license_id ?? "")
      .execute();
    expect(entries).toMatchObject([{ actor_kind: "customer", actor_id: transfer?.from_customer_id }]);
  });

  test("a person who is gone because their identity moved leaves their pending transfers to the customer", async () => {
    const before = await signedIn();
    const id = await pendingTransfer(before.email);
    const after = await signedIn();
    await add(after.browser, before.email);
    expect(await storedTransfer(id)).toMatchObject({ state: "pending", requested_by: null });
    expect((await after.browser.post(`/transfers/${id}/cancel`)).status).toBe(200);
  });

  describe("privacy", () => {
    const removeCustomer = async (
      seller: { organizationId: string; owner: PortalFixture["owner"] },
      email: string,
    ) => {
      const path = `/organizations/${seller.organizationId}/customers`;
      const { data } = (await seller.owner.api.get(`${path}?search=${encodeURIComponent(email)}`)).body;
      expect((await seller.owner.api.delete(`${path}/${data[0].id}`)).status).toBe(204);
    };

    test("deleting a customer whom nobody else has ends their sessions and removes the account", async () => {
      const { email, browser } = await signedIn();
      const personId = (await personOf(email)) ?? "";
      await removeCustomer(fixture, email);
      expect((await browser.get("/me")).status).toBe(401);
      expect(await exists(personId)).toBe(false);
      // From now on the email address is unknown.
      const sent = (await openedEmails(fixture.store, { to: email })).length;
      await browser.post("/sign-in", { email });
      expect(await openedEmails(fixture.store, { to: email })).toHaveLength(sent);
    });

    test("an organization cannot log out a person who is someone else's customer too", async () => {
      const { email, browser } = await signedIn();
      const other = await fixture.seller();
      await fixture.customer({ ...other, email });
      await removeCustomer(other, email);
      expect(values(await browser.get("/me"))).toEqual([email]);
      // Nor by another of their identities, which only this organization knows.
      const second = await fixture.customer(other);
      await add(browser, second);
      await removeCustomer(other, second);
      expect(values(await browser.get("/me"))).toEqual([email]);
    });

    test("the customers of a removed organization are signed out, unless another organization has them", async () => {
      const seller = await fixture.seller();
      const [alone, shared] = [await fixture.customer(seller), await fixture.customer(seller)];
      await fixture.customer({ ...fixture, email: shared });
      const browsers = [
        await signedInCustomer(fixture.url, fixture.store, alone),
        await signedInCustomer(fixture.url, fixture.store, shared),
      ];
      await fixture.store.transaction((db) =>
        db
          .updateTable("organizations")
          .set({ delete_after: Date.now() - 1 })
          .where("id", "=", seller.organizationId)
          .execute(),
      );
      await new OrganizationRemoval(fixture.store, { deleteOrganization: async () => {} }).run();
      expect(await Promise.all(browsers.map(async (one) => (await one.get("/me")).status))).toEqual([
        401, 200,
      ]);
    });
  });

  test("a portal session opens nothing of the dashboard, and no user or token opens the portal", async () => {
    const { browser } = await signedIn();
    const portalCookie = browser.browser.cookies.get("countersign_portal") ?? "";
    expect((await browser.browser.manage("GET", "/me")).status).toBe(401);
    expect((await browser.browser.auth("/get-session")).body).toBeNull();
    for (const name of ["countersign.session_token", "__Host-countersign.session_token"]) {
      const forger = new Browser(fixture.url, "198.18.77.1");
      forger.cookies.set(name, portalCookie);
      expect((await forger.manage("GET", "/me")).status).toBe(401);
    }
    const user = await fixture.person();
    await fixture.store.transaction((db) =>
      addPassword(db, { id: newId(), userId: user.userId, hash: cheapHash(goodPassword) }, Date.now()),
    );
    const dashboard = new PortalClient(fixture.url);
    const entered = await dashboard.browser.auth("/sign-in/email", {
      email: user.email,
      password: goodPassword,
    });
    expect(entered.status).toBe(200);
    expect((await dashboard.browser.manage("GET", "/me")).status).toBe(200);
    expect((await dashboard.get("/me")).body.code).toBe("sign_in_required");
    const session = [...dashboard.browser.cookies].find(([name]) => name.endsWith("session_token"))?.[1];
    dashboard.browser.cookies.set("countersign_portal", session ?? "");
    expect((await dashboard.get("/me")).status).toBe(401);
    for (const token of [user.token, fixture.admin.token, fixture.apiKey, portalCookie]) {
      const answer = await new PortalClient(fixture.url).get("/me", { authorization: `Bearer ${token}` });
      expect([answer.status, answer.body.code]).toEqual([401, "sign_in_required"]);
    }
    // Signing in with the same email address on one side opens nothing on the other.
    await fixture.customer({ ...fixture, email: user.email });
    const both = await signedInCustomer(fixture.url, fixture.store, user.email);
    expect((await both.browser.manage("GET", "/me")).status).toBe(401);
  });

  test("nothing about signing in is in the audit log", async () => {
    const before = await fixture.store.reads.selectFrom("audit_log").select("id").execute();
    const email = `${newId()}@example.com`;
    await fixture.store.transaction((db) =>
      db
        .insertInto("customers")
        .values({
          id: newId(),
          organization_id: fixture.organizationId,
          email,
          discord_id: null,
          created_at: Date.now(),
        })
        .execute(),
    );
    const browser = await signedInCustomer(fixture.url, fixture.store, email);
    await browser.patch("/me", { locale: "de" });
    await browser.delete("/me");
    const after = await fixture.store.reads.selectFrom("audit_log").select("id").execute();
    expect(after.length).toBe(before.length);
  });

  test("expired codes and sessions are pruned, and others stay", async () => {
    const { email, browser } = await signedIn();
    const old = await fixture.customer();
    await browser.post("/sign-in", { email: old });
    await fixture.expireCodes(old);
    const live = await fixture.customer();
    await browser.post("/sign-in", { email: live });
    const ended = await signedInCustomer(fixture.url, fixture.store, email);
    const { data } = (await ended.get("/me/sessions")).body;
    await fixture.store.transaction((db) =>
      db.updateTable("portal_sessions").set({ expires_at: 1 }).where("id", "=", data[0].id).execute(),
    );
    await portalPruning(fixture.store).run(neverAborted);
    expect(await fixture.codeRows(old)).toEqual([]);
    expect(await fixture.codeRows(live)).toHaveLength(1);
    const sessions = await fixture.store.reads.selectFrom("portal_sessions").select("id").execute();
    expect(sessions.map(({ id }) => id)).not.toContain(data[0].id);
    expect((await browser.get("/me")).status).toBe(200);
  });
});
