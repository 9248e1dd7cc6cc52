import { expect, test } from "bun:test";
import { idsOf, onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import * as queries from "./blocks.ts";

const tiers = ["platform", "organization", "customer", "license"] as const;
const fromStart = { afterId: null, limit: 100 };

onBothDatabases("IP blocks", (fixture) => {
  const { read, write } = fixture.queries(queries);
  /** A scope of each tier, of the same organization. */
  const scopes = async () => {
    const { organizationId, license } = await fixture.organization();
    const customerId = await fixture.customer(organizationId);
    const { id: licenseId } = await license({ customerId });
    return {
      platform: { tier: "platform" },
      organization: { tier: "organization", organizationId },
      customer: { tier: "customer", organizationId, customerId },
      license: { tier: "license", organizationId, licenseId },
    } as const;
  };
  type Scopes = Awaited<ReturnType<typeof scopes>>;
  const add = async (scope: queries.BlockScope, cidr: string, expiresAtMs: number | null = null) => {
    const block = { id: newId(), scope, cidr, note: "Abuse", expiresAtMs, createdBy: "Ada" };
    await write.addIpBlocks([block], 5);
    return block.id;
  };
  /** What the hot path reads: a revision that grows, or a number of blocks. */
  const marks = async ({ license: { organizationId, licenseId } }: Scopes) => {
    const { value } = await fixture.row("platform_state", { name: "ip_blocks_revision" });
    const organization = await fixture.row("organizations", { id: organizationId });
    const { block_count: license } = await fixture.row("licenses", { id: licenseId });
    const { ip_blocks_revision: revision, customer_block_count: customer } = organization;
    return { platform: Number(value), organization: revision, customer, license };
  };
  /** A network of its own, because the platform's are shared by all tests. */
  let networks = 0;
  const network = () => `198.18.${networks++}.0/24`;

  test.each(tiers)(
    "a block of the %s is found in its scope only, and its changes are marked",
    async (tier) => {
      const [own, others] = [await scopes(), await scopes()];
      const scope = own[tier];
      const foreign = [others.organization, others.customer, others.license];
      const elsewhere = [...tiers.map((one) => own[one]), ...foreign];
      const cidr = network();
      const before = await marks(own);
      const id = await add(scope, cidr, 99);
      const found = await read.ipBlockOf(id, scope);
      const shown = { id, tier, cidr, note: "Abuse", expires_at: 99, created_by: "Ada", updated_at: 5 };
      expect(found).toMatchObject(shown);
      expect((await read.ipBlockOfCidr(cidr, scope))?.id).toBe(id);
      expect(await read.ipBlockOfCidr(network(), scope)).toBeUndefined();
      for (const other of elsewhere.filter((one) => one !== scope)) {
        expect(await read.ipBlockOf(id, other)).toBeUndefined();
        expect(await read.ipBlockOfCidr(cidr, other)).toBeUndefined();
        await write.updateIpBlock(id, other, { note: "Wrong", updated_at: 9 });
        expect(await write.removeIpBlock(id, other)).toBe(false);
      }
      expect(await read.ipBlockOf(id, scope)).toEqual(found);
      const changed = { note: null, expires_at: null, updated_at: 9 };
      await write.updateIpBlock(id, scope, changed);
      expect(await read.ipBlockOf(id, scope)).toEqual({ ...found, ...changed } as typeof found);
      const during = await marks(own);
      const removals = [1, 2, 3].map(() => write.removeIpBlock(id, scope));
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
    const common = { scope: license, note: null, expiresAtMs: null };
    const cidrs = Array.from({ length: 501 }, (_, index) => `198.51.${index >> 8}.${index & 255}/32`);
    const blocks = cidrs.map((cidr) => ({ ...common, id: newId(), cidr }));
    await write.addIpBlocks(blocks, 1);
    const page = async (afterId: string | null, limit: number) =>
      idsOf(await read.ipBlocksOf(license, { afterId, limit }));
    const ids = idsOf(blocks).sort();
    expect(await page(null, 300)).toEqual(ids.slice(0, 300));
    expect(await page(ids[299] ?? "", 300)).toEqual(ids.slice(300));
    expect(await read.countIpBlocks(license)).toBe(501);
  });

  test("networks are blocked by the platform, and by the organization at any level if it is asked for", async () => {
    const [own, others] = [await scopes(), await scopes()];
    const cidr = network();
    const ids: string[] = [];
    for (const tier of tiers) ids.push(await add(own[tier], cidr));
    await add(own.license, network());
    for (const scope of [others.organization, others.customer, others.license]) await add(scope, cidr);
    const blocked = async (organizationId: string | null) =>
      idsOf(await read.ipBlocksOfCidrs(organizationId, [cidr, network()]));
    expect(await blocked(own.organization.organizationId)).toEqual([...ids].sort());
    expect(await blocked(null)).toEqual(ids.slice(0, 1));
    await write.removeIpBlock(ids[0] ?? "", own.platform);
  });

  test("all blocks of a deleted scope are removed, and no others", async () => {
    const own = await scopes();
    for (const scope of [own.customer, own.customer, own.license]) await add(scope, network());
    const other = { ...own.customer, customerId: await fixture.customer(own.customer.organizationId) };
    await add(other, network());
    await write.removeIpBlocks(own.customer);
    expect(await read.ipBlocksOf(own.customer, fromStart)).toEqual([]);
    expect(await marks(own)).toMatchObject({ customer: 1, license: 1 });
    await write.removeIpBlocks(own.customer);
    expect(await marks(own)).toMatchObject({ customer: 1, license: 1 });
  });

  test("the blocks of a merged customer are moved, and of two of one network the longer one stays", async () => {
    const own = await scopes();
    const [from, { organizationId }] = [own.customer, own.customer];
    const to = { ...from, customerId: await fixture.customer(organizationId) };
    const cidrs = [network(), network(), network(), network()];
    const [only = "", longer = "", shorter = "", same = ""] = cidrs;
    const moved = [await add(from, only, 10), await add(from, longer)];
    await add(from, shorter, 10);
    await add(from, same);
    await add(to, longer, 99);
    const kept = [await add(to, shorter, 11), await add(to, same)];
    await write.moveCustomerBlocks(from, to);
    const left = idsOf(await read.ipBlocksOf(to, fromStart));
    expect(left).toEqual([...moved, ...kept].sort());
    expect(await read.ipBlocksOf(from, fromStart)).toEqual([]);
    expect((await marks(own)).customer).toBe(4);
  });
});
