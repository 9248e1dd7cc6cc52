import { expect, test } from "bun:test";
import { matchForm } from "@countersign/domain/licenses/key";
import { idsOf, onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId, type TestOrganization } from "../../../../tests/support/test-organization.ts";
import { times } from "../../suite/calls.ts";
import { customerFor } from "../customers/identify.ts";
import * as create from "./create.ts";
import * as tagsAndIps from "./ips.ts";
import * as search from "./search.ts";
import * as views from "./views.ts";

onBothDatabases("licenses", (fixture) => {
  const { read, write } = fixture.queries({ ...search, ...tagsAndIps, ...views, ...create });
  const ada = { email: "ada@example.com", name: "Ada", discordId: "77" };
  const addCustomer = ({ organizationId }: TestOrganization, who: Parameters<typeof customerFor>[2] = ada) =>
    fixture.write((db) => customerFor(db, organizationId, who, newId, 1));
  const textOf = async (id: string) => (await read.licenseViews([id]))[0]?.search_text;

  test("more licenses are created than fit in one statement, each with its tags and its text", async () => {
    const { organizationId, productId } = await fixture.organization();
    const made = times(1_100, (index) => ({
      ...{ id: newId(), organizationId, productId, customerId: null },
      ...{ key: `Key-${index}`, tags: index % 2 === 0 ? ["even", "all"] : ["all"] },
    }));
    await write.createLicenses(made, 5);
    const shown = await read.licenseViews(idsOf(made));
    expect(idsOf(shown)).toEqual(idsOf(made));
    const even = { license_key: "Key-1098", tags: ["all", "even"], search_text: "key1098" };
    expect(shown.at(-2)).toMatchObject(even);
    expect(shown.at(-1)).toMatchObject({ tags: ["all"], created_at: 5, updated_at: 5, ip_count: 0 });
  });

  test("a key is taken in its product only, in any letter case, even by a concurrent transaction", async () => {
    const org = await fixture.organization();
    const { productId: otherId } = await org.product();
    const attempts = ["Key", "KEY", "kEy"].map((key) => org.license({ key }));
    const settled = await Promise.allSettled(attempts);
    expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const [made] = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    const free = times(600, (index) => `FREE-${index}`);
    const taken = (productId: string) => read.takenKeys(productId, [...free, matchForm("key")]);
    expect(await taken(org.productId)).toEqual(new Map([[matchForm("key"), made?.id ?? ""]]));
    expect(await taken(otherId)).toEqual(new Map());
    expect((await org.license({ key: "Key", productId: otherId })).key).toBe("Key");
  });

  test("licenses are read in the given order, with their product, their customer and their tags", async () => {
    const [org, other] = [await fixture.organization(), await fixture.organization()];
    const customerId = await addCustomer(org);
    await addCustomer(other, { ...ada, name: "Another seller's name" });
    const { id } = await org.license({ customerId, tags: ["b", "a"] });
    const second = await org.license({ metadata: '{"a":1}', termMs: 1_500 });
    const customer = { customer_email: ada.email, customer_name: "Ada", customer_discord_id: "77" };
    expect(await read.licenseViews([second.id, "unknown", id])).toMatchObject([
      { id: second.id, tags: [], customer_email: null },
      { id, product_name: "Test Product", tags: ["a", "b"], ...customer },
    ]);
    const shown = { metadata: { a: 1 }, custom_override: null, first_used_at: null, term_seconds: 2 };
    expect(await read.shownLicenses([second.id], 1)).toMatchObject([shown]);
    expect(await read.shownLicense(id, 1)).toMatchObject({ id, tags: ["a", "b"], ...customer });
    await expect(read.shownLicense("unknown", 1)).rejects.toThrow("unknown");
  });

  test("licenses of other organizations and of deleted products are not found as own ones", async () => {
    const [org, other] = [await fixture.organization(), await fixture.organization()];
    const { productId } = await org.product();
    const own = idsOf([await org.license(), await org.license()]).sort();
    const [foreign, gone] = [await other.license(), await org.license({ productId })];
    await fixture.change("products", productId, { deleted_at: 1 });
    const asked = [...own, foreign.id, gone.id, "unknown"].toReversed();
    const found = await read.ownLicenseViews(org.organizationId, asked);
    expect(idsOf(found)).toEqual(own);
    expect(await read.ownLicenseViews(org.organizationId, [])).toEqual([]);
  });

  test("tags are replaced for one license", async () => {
    const { organizationId, license } = await fixture.organization();
    const [one, other] = [await license({ tags: ["a", "b"] }), await license({ tags: ["a"] })];
    const tagsNow = async () => Object.fromEntries(await read.tagsOf([one.id, other.id]));
    await write.replaceTags(organizationId, one.id, ["c", "b"]);
    expect(await tagsNow()).toEqual({ [one.id]: ["b", "c"], [other.id]: ["a"] });
    await write.replaceTags(organizationId, one.id, []);
    expect(await tagsNow()).toEqual({ [other.id]: ["a"] });
    expect(await read.tagsOf([])).toEqual(new Map());
  });

  test("search texts are updated with the names of a customer, in one organization", async () => {
    const [org, other] = [await fixture.organization(), await fixture.organization()];
    const customerId = await addCustomer(org);
    const common = { organizationId: org.organizationId, productId: org.productId, customerId };
    const texts = { notes: "Paid", tags: ["VIP"] };
    const made = times(120, (index) => ({ ...common, ...texts, id: newId(), key: `K${index}` }));
    await write.createLicenses(made, 1);
    const ids = idsOf(made).sort();
    const foreign = await other.license({ customerId, key: "Foreign" });
    const own = await org.license({ key: "Own" });
    const staleAfter = async (names: typeof ada, after: string): Promise<string[]> => {
      const { stale: found, last } = await read.staleTexts(org.organizationId, customerId, names, after);
      return last === null ? [...found] : [...found, ...(await staleAfter(names, last))];
    };
    const stale = (names: typeof ada) => staleAfter(names, "");
    expect(await stale(ada)).toEqual(ids);
    await write.refreshSearchTextOf(ids.slice(0, 110));
    expect(await stale(ada)).toEqual(ids.slice(110));
    await write.refreshSearchText(org.organizationId, customerId);
    expect(await stale(ada)).toEqual([]);
    expect(await textOf(made[0]?.id ?? "")).toBe("k0\nada@example.com\nada\n77\npaid\nvip");
    expect([await textOf(foreign.id), await textOf(own.id)]).toEqual(["foreign", "own"]);
    // Before the names themselves are written, a few at a time.
    const grace = { ...ada, name: "Grace" };
    await write.refreshSearchTextOf(ids.slice(0, 20), grace);
    expect(await stale(grace)).toEqual(ids.slice(20));
  });
});
