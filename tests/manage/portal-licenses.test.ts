import { beforeAll, expect, test } from "bun:test";
import { addLicense } from "../support/add-license.ts";
import { listPages } from "../support/list-pages.ts";
import type { SignedInClient } from "../support/portal-client.ts";
import { openPortalFixture, type Seller } from "../support/portal-fixture.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";

const newEmail = () => `${newId()}@example.com`;
const idsOf = (data: readonly { id: string }[]) => data.map(({ id }) => id);

/** Which licenses are whose, and their pages, are tested in the store, with the queries of the portal. */
testsOn("postgres", "licenses in the portal", openPortalFixture, (fixture) => {
  let acme: Seller;
  let other: Seller;
  beforeAll(async () => {
    [acme, other] = [await fixture.seller(), await fixture.seller()];
  });

  const listed = async (customer: SignedInClient, query = "") =>
    idsOf((await customer.get(`/licenses${query}`)).body.data);
  const find = (customer: SignedInClient, key: string) =>
    customer.post("/licenses/find", { license_key: key });
  const isGoneFor = async (customer: SignedInClient, { id, key }: { id: string; key: string }) => {
    expect(await listed(customer)).not.toContain(id);
    expect((await customer.get(`/licenses/${id}`)).status).toBe(404);
    expect((await find(customer, key)).body.data).toEqual([]);
    expect((await customer.post(`/licenses/${id}/reveal-key`)).status).toBe(404);
  };

  test("the list has the licenses of all sellers in pages, with what customers recognize them by, without keys", async () => {
    const email = newEmail();
    const first = await addLicense(acme, { customer: { email } });
    const second = await addLicense(other, { customer: { email } });
    const customer = await fixture.signedIn(email);
    const { body, text } = await customer.get("/licenses");
    const ids = acme.organizationId < other.organizationId ? [first.id, second.id] : [second.id, first.id];
    expect(body).toMatchObject({ next_cursor: null, sellers_with_more: [] });
    expect(idsOf(body.data)).toEqual(ids);
    expect(body.data[0]).toMatchObject({
      seller: { name: "Seller", logo_url: null, links: [], is_suspended: false },
      product: { name: "Plugin", status: "active" },
      status: "active",
      is_lifetime: true,
      seconds_left: null,
      has_pending_transfer: false,
    });
    expect(text).not.toContain(first.key);
    expect(await listPages(customer, "/licenses?limit=1")).toEqual(ids.map((id) => [id]));
  });

  test("the list of one seller's licenses has pages too, and that of all names sellers with more than it shows", async () => {
    const email = newEmail();
    const ids: string[] = [];
    for (let count = 0; count < 22; count++)
      ids.unshift((await addLicense(acme, { customer: { email } })).id);
    const customer = await fixture.signedIn(email);
    const { data, sellers_with_more: more } = (await customer.get("/licenses")).body;
    expect(idsOf(data)).toEqual(ids.slice(0, 20));
    expect(more).toMatchObject([{ organization_id: acme.organizationId, name: "Seller" }]);
    const pages = await listPages(customer, `/licenses?organization_id=${acme.organizationId}&limit=20`);
    expect(pages).toEqual([ids.slice(0, 20), ids.slice(20)]);
  });

  test("the list of licenses refuses cursors that it did not write", async () => {
    const customer = await fixture.signedIn(newEmail());
    const of = (values: unknown) => Buffer.from(JSON.stringify(values)).toString("base64url");
    for (const query of [
      "cursor=nonsense",
      `cursor=${of([])}`,
      `cursor=${of(["newest", "a", "b", -1, 0])}`,
      `cursor=${of(["newest", "a", 1, 1, 0])}`,
      `cursor=${of(["newest", "a\u0000", "", 1, 0])}`,
      `organization_id=b&cursor=${of(["rest", "a", "", 0, 1])}`,
    ]) {
      const { status, body } = await customer.get(`/licenses?${query}`);
      expect([status, body.errors?.[0]?.code]).toEqual([422, "invalid_cursor"]);
    }
    expect(await listed(customer, `?cursor=${of(["newest", "a", "b", 1_000, 0])}`)).toEqual([]);
  });

  test("an email address beside which a seller wrote a Discord ID gives the ID's owner nothing", async () => {
    const [email, discordId] = [newEmail(), String(Date.now())];
    const license = await addLicense(acme, { customer: { email, discordId } });
    await isGoneFor(await fixture.signedIn({ discordIds: [discordId] }), license);
    // The owner of the email address sees what belongs to it, and nothing about the Discord ID.
    const customer = await fixture.signedIn(email);
    for (const path of ["/licenses", `/licenses/${license.id}`]) {
      const { text } = await customer.get(path);
      expect([text.includes(license.id), text.includes(discordId)]).toEqual([true, false]);
    }
  });

  test("each seller sees only what customers do to its own licenses, under the name that it knows them by", async () => {
    const email = newEmail();
    const license = await addLicense(acme, { customer: { email, name: "Known to A" } });
    const second = await addLicense(other, { customer: { email, name: "Known to B" } });
    const customer = await fixture.signedIn(email);
    await customer.post(`/licenses/${license.id}/reveal-key`);
    const logOf = async ({ owner, organizationId }: Seller, subjectId: string) => {
      const path = `/organizations/${organizationId}/audit-log?subject_id=${subjectId}`;
      return (await owner.api.get(path)).body.data;
    };
    const entries = await logOf(acme, license.id);
    expect(entries).toMatchObject([
      { action: "license.key_revealed", actor: { kind: "customer", name: "Known to A" } },
    ]);
    expect(JSON.stringify(entries)).not.toContain(customer.personId);
    expect(await logOf(other, second.id)).toEqual([]);
    expect((await customer.get(`/licenses/${second.id}`)).text).not.toContain("Known to");
  });

  test("a license that was given to someone else disappears from the list at once, and appears in the other's", async () => {
    const license = await fixture.sold(acme);
    const next = newEmail();
    await acme.owner.api.patch(`/licenses/${license.id}`, { customer_email: next });
    await isGoneFor(license.customer, license);
    const theirs = await fixture.signedIn(next);
    expect((await theirs.get(`/licenses/${license.id}`)).status).toBe(200);
    expect(await listed(theirs)).toEqual([license.id]);
  });

  test("a license is found by its key as validations take it, and others are all like an unknown one", async () => {
    const { id, customer, key } = await fixture.sold(acme, { key: `Own-${newId()}` });
    expect(idsOf((await find(customer, `  ${key.toLowerCase()} `)).body.data)).toEqual([id]);
    const someoneElses = await find(customer, (await fixture.sold(acme)).key);
    expect(someoneElses.body).toEqual({ data: [] });
    expect(someoneElses.text).toBe((await find(customer, "UNKNOWN")).text);
    const hidden = await fixture.sold(await fixture.seller({ portal_enabled: false }));
    await isGoneFor(hidden.customer, hidden);
  });
});
