import { expect, test } from "bun:test";
import { idsOf, onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { customerFor } from "../customers/identify.ts";
import {
  addIpBlocks,
  type BlockScope,
  countIpBlocks,
  ipBlockOf,
  ipBlockOfCidr,
  ipBlocksOf,
  ipBlocksOfCidrs,
  moveCustomerBlocks,
  removeIpBlock,
  removeIpBlocks,
  updateIpBlock,
} from "./blocks.ts";

const tiers = ["platform", "organization", "customer", "license"] as const;
const fromStart = { afterId: null, limit: 100 };

onBothDatabases("IP blocks", (fixture) => {
  const customer = (organizationId: string) =>
    fixture.write((db) =>
      customerFor(db, organizationId, { email: `${newId()}@a.b`, name: null, discordId: null }, newId, 1),
    );
  /** A scope of each tier, of the same organization. */
  const scopes = async () => {
    const { organizationId, license } = await fixture.organization();
    const customerId = await customer(organizationId);
    const { id: licenseId } = await license({ customerId });
    return {
      platform: { tier: "platform" },
      organization: { tier: "organization", organizationId },
      customer: { tier: "customer", organizationId, customerId },
      license: { tier: "license", organizationId, licenseId },
    } as const;
  };
  type Scopes = Awaited<ReturnType<typeof scopes>>;
  const add = async (scope: BlockScope, cidr: string, expiresAtMs: number | null = null) => {
    const block = { id: newId(), scope, cidr, note: "Abuse", expiresAtMs, createdBy: "Ada" };
    await fixture.write((db) => addIpBlocks(db, [block], 5));
    return block.id;
  };
  /** What the hot path reads: a revision that grows, or a number of blocks. */
  const marks = async ({ license: { organizationId, licenseId } }: Scopes) => {
    const organization = await fixture.row("organizations", { id: organizationId });
    const license = await fixture.row("licenses", { id: licenseId });
    const platform = await fixture.row("platform_state", { name: "ip_blocks_revision" });
    return {
      platform: Number(platform.value),
      organization: organization.ip_blocks_revision,
      customer: organization.customer_block_count,
      license: license.block_count,
    };
  };
  /** A network of its own, because the platform's are shared by all tests. */
  let networks = 0;
  const network = () => `198.18.${networks++}.0/24`;

  test.each(tiers)(
    "a block of the %s is found in its scope only, and every change of it is marked",
    async (tier) => {
      const [own, others] = [await scopes(), await scopes()];
      const scope = own[tier];
      const elsewhere = [
        ...tiers.map((one) => own[one]),
        others.organization,
        others.customer,
        others.license,
      ];
      const cidr = network();
      const before = await marks(own);
      const id = await add(scope, cidr, 99);
      const found = await ipBlockOf(fixture.reads, id, scope);
      expect(found).toMatchObject({
        id,
        tier,
        cidr,
        note: "Abuse",
        expires_at: 99,
        created_by: "Ada",
        updated_at: 5,
      });
      expect((await ipBlockOfCidr(fixture.reads, cidr, scope))?.id).toBe(id);
      expect(await ipBlockOfCidr(fixture.reads, network(), scope)).toBeUndefined();
      for (const other of elsewhere.filter((one) => one !== scope)) {
        expect(await ipBlockOf(fixture.reads, id, other)).toBeUndefined();
        expect(await ipBlockOfCidr(fixture.reads, cidr, other)).toBeUndefined();
        await fixture.write((db) => updateIpBlock(db, id, other, { note: "Wrong", updated_at: 9 }));
        expect(await fixture.write((db) => removeIpBlock(db, id, other))).toBe(false);
      }
      expect(await ipBlockOf(fixture.reads, id, scope)).toEqual(found);
      await fixture.write((db) =>
        updateIpBlock(db, id, scope, { note: null, expires_at: null, updated_at: 9 }),
      );
      expect(await ipBlockOf(fixture.reads, id, scope)).toEqual({
        ...(found as NonNullable<typeof found>),
        ...{ note: null, expires_at: null, updated_at: 9 },
      });
      const during = await marks(own);
      const removals = [1, 2, 3].map(() => fixture.write((db) => removeIpBlock(db, id, scope)));
      expect((await Promise.all(removals)).sort()).toEqual([false, false, true]);
      const after = await marks(own);
      const isCounted = tier === "customer" || tier === "license";
      if (isCounted) expect([before[tier], during[tier], after[tier]]).toEqual([0, 1, 0]);
      else {
        expect(during[tier]).toBeGreaterThanOrEqual(before[tier] + 2);
        expect(after[tier]).toBe(during[tier] + 1);
      }
    },
  );

  test("blocks are listed in the order of their IDs, in pages, and counted", async () => {
    const { license } = await scopes();
    const blocks = Array.from({ length: 501 }, (_, index) => ({
      ...{ id: newId(), scope: license, cidr: `198.51.${index >> 8}.${index & 255}/32` },
      ...{ note: null, expiresAtMs: null },
    }));
    await fixture.write((db) => addIpBlocks(db, blocks, 1));
    const page = async (afterId: string | null, limit: number) =>
      idsOf(await ipBlocksOf(fixture.reads, license, { afterId, limit }));
    const ids = idsOf(blocks).sort();
    expect(await page(null, 300)).toEqual(ids.slice(0, 300));
    expect(await page(ids[299] ?? "", 300)).toEqual(ids.slice(300));
    expect(await countIpBlocks(fixture.reads, license)).toBe(501);
  });

  test("networks are blocked by the platform, and by the organization at any level if it is asked for", async () => {
    const [own, others] = [await scopes(), await scopes()];
    const cidr = network();
    const ids: string[] = [];
    for (const tier of tiers) ids.push(await add(own[tier], cidr));
    await add(own.license, network());
    for (const scope of [others.organization, others.customer, others.license]) await add(scope, cidr);
    const blocked = async (organizationId: string | null) =>
      idsOf(await ipBlocksOfCidrs(fixture.reads, organizationId, [cidr, network()]));
    expect(await blocked(own.organization.organizationId)).toEqual([...ids].sort());
    expect(await blocked(null)).toEqual(ids.slice(0, 1));
    await fixture.write((db) => removeIpBlock(db, ids[0] ?? "", own.platform));
  });

  test("all blocks of a deleted scope are removed, and no others", async () => {
    const own = await scopes();
    for (const scope of [own.customer, own.customer, own.license]) await add(scope, network());
    const other = { ...own.customer, customerId: await customer(own.customer.organizationId) };
    await add(other, network());
    await fixture.write((db) => removeIpBlocks(db, own.customer));
    expect(await ipBlocksOf(fixture.reads, own.customer, fromStart)).toEqual([]);
    expect(await marks(own)).toMatchObject({ customer: 1, license: 1 });
    await fixture.write((db) => removeIpBlocks(db, own.customer));
    expect(await marks(own)).toMatchObject({ customer: 1, license: 1 });
  });

  test("the blocks of a merged customer follow, and of two of one network the longer one stays", async () => {
    const own = await scopes();
    const [from, { organizationId }] = [own.customer, own.customer];
    const to = { ...from, customerId: await customer(organizationId) };
    const cidrs = [network(), network(), network(), network()];
    const [only = "", longer = "", shorter = "", same = ""] = cidrs;
    const moved = [await add(from, only, 10), await add(from, longer)];
    await add(from, shorter, 10);
    await add(from, same);
    await add(to, longer, 99);
    const kept = [await add(to, shorter, 11), await add(to, same)];
    await fixture.write((db) => moveCustomerBlocks(db, from, to));
    const left = idsOf(await ipBlocksOf(fixture.reads, to, fromStart));
    expect(left).toEqual([...moved, ...kept].sort());
    expect(await ipBlocksOf(fixture.reads, from, fromStart)).toEqual([]);
    expect((await marks(own)).customer).toBe(4);
  });
});
