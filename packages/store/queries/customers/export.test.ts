import { expect, test } from "bun:test";
import { addLicense } from "../../../../tests/support/add-license.ts";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { transferRow } from "../../../../tests/support/transfer-row.ts";
import { addIpBlocks } from "../ip-blocks/blocks.ts";
import { addTransfer } from "../transfers/transfers.ts";
import * as queries from "./export.ts";

onBothDatabases("what is held about a customer", (fixture) => {
  const { read } = fixture.queries(queries);

  test("licenses, blocks, IP addresses and transfers are read page by page, of this organization only", async () => {
    const [ours, theirs] = [await fixture.organization(), await fixture.organization()];
    const email = `${newId()}@example.com`;
    const { store } = fixture;
    const licenses = [];
    for (let number = 0; number < 3; number++)
      licenses.push(await addLicense({ ...ours, store }, { customer: { email } }));
    const foreign = await addLicense({ ...theirs, store }, { customer: { email } });
    const customerId = String(licenses[0]?.customerId);
    const { organizationId } = ours;
    const ids = licenses.map(({ id }) => id).sort();
    const first = await read.licensesHeldBy(organizationId, customerId, { afterId: null, limit: 2 });
    const rest = await read.licensesHeldBy(organizationId, customerId, {
      afterId: first[1]?.id ?? "",
      limit: 2,
    });
    expect([...first, ...rest].map(({ id }) => id)).toEqual(ids);
    const other = String(foreign.customerId);
    expect(await read.licensesHeldBy(organizationId, other, { afterId: null, limit: 2 })).toEqual([]);

    const block = { id: newId(), cidr: "198.51.100.1/32", note: null, expiresAtMs: null };
    const scope = { tier: "customer", organizationId, customerId } as const;
    await fixture.write((db) => addIpBlocks(db, [{ ...block, scope }], 1));
    const page = { afterId: null, limit: 5 };
    expect(await read.blocksOfCustomer(organizationId, customerId, page)).toMatchObject([{ id: block.id }]);
    expect(await read.blocksOfCustomer(organizationId, customerId, { ...page, afterId: block.id })).toEqual(
      [],
    );
    expect(await read.blocksOfCustomer(theirs.organizationId, customerId, page)).toEqual([]);

    const [licenseId = ""] = ids;
    const request = {
      organization_id: organizationId,
      product_id: ours.productId,
      license_id: licenseId,
      tracked: true,
    };
    const at = Date.now();
    await fixture.log([
      { ...request, ip: "203.0.113.1", at: at - 9_000 },
      { ...request, ip: "203.0.113.2", at },
    ]);
    const ips = async (afterIp: string | null) =>
      (await read.sightingsOfLicense(licenseId, { afterIp, limit: 5 })).map(({ ip }) => ip);
    expect(await ips(null)).toEqual(["203.0.113.1", "203.0.113.2"]);
    expect(await ips("203.0.113.1")).toEqual(["203.0.113.2"]);
    expect(await read.sightingsOfLicenses(ids, 5)).toHaveLength(2);
    expect(await read.sightingsOfLicenses(ids, 1)).toHaveLength(1);
    expect(await read.sightingsOfLicenses([foreign.id], 5)).toEqual([]);

    const of = { organization_id: organizationId, product_id: ours.productId };
    const rows = [
      transferRow({ ...of, from_customer_id: customerId }),
      transferRow({ ...of, to_email: email.toUpperCase() }),
      transferRow({
        ...of,
        license_id: licenseId,
        to_customer_id: customerId,
        state: "approved",
        decided_at: 7,
      }),
      transferRow(of),
      transferRow({ ...of, organization_id: theirs.organizationId, to_email: email }),
    ];
    for (const row of rows) await fixture.write((db) => addTransfer(db, row));
    const customer = await fixture.row("organization_customers", { customer_id: customerId });
    const found = await read.transfersOfCustomer(organizationId, customer);
    expect(found.map(({ id }) => id)).toEqual(
      rows
        .slice(0, 3)
        .map(({ id }) => id)
        .sort(),
    );
  });
});
