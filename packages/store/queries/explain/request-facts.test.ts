import { expect, test } from "bun:test";
import { parseQueriedIp } from "@countersign/domain/ip/cidr";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { registerIp } from "../licenses/create.ts";
import { deleteProduct } from "../products/products.ts";
import { setVersion } from "../versions/versions.ts";
import * as queries from "./request-facts.ts";

onBothDatabases("the facts of an explanation", (fixture) => {
  const { read, write } = fixture.queries({ ...queries, deleteProduct, registerIp, setVersion });
  test("the facts of a product contain its own versions only", async () => {
    const org = await fixture.organization({ settings: { version_module_enabled: 1 } });
    const other = await org.product({ version_module_enabled: 1 });
    await write.setVersion(org.productId, { version: "1.0", state: "latest" }, 1);
    await write.setVersion(other.productId, { version: "2.0", state: "latest" }, 1);
    expect(await read.versionRecords(org.productId)).toEqual([{ version: "1.0", state: "latest" }]);
  });

  test("a deleted product has facts, and one that never existed has none", async () => {
    const { store, productId } = await fixture.organization({ dailyLimit: 7 });
    await write.deleteProduct(productId, 5);
    expect(await read.productState(store.sealer, productId)).toMatchObject({ dailyLimit: 7 });
    expect(await read.productState(store.sealer, "none")).toBeNull();
  });

  test.each([
    ["2001:db8::1", 128, true],
    ["2001:db8::2", 128, false],
    ["2001:db8::2", 64, true],
    ["2001:db8:1::9", 64, true],
    ["2001:db8:1::/64", 64, true],
    ["192.0.2.1", 64, true],
    ["192.0.2.2", 64, false],
  ] as const)("the IP address %s, counted by /%i, is registered: %p", async (ip, prefix, expected) => {
    const { license } = await fixture.organization();
    const { id } = await license();
    const other = await license();
    for (const registered of ["192.0.2.1", "2001:db8::1", "2001:db8:1::/64"])
      await write.registerIp(id, registered, 1);
    const asked = parseQueriedIp(ip);
    if (asked === null) throw new Error(`${ip} is no IP address.`);
    expect(await read.isRegistered(id, asked, prefix)).toBe(expected);
    expect(await read.isRegistered(other.id, asked, prefix)).toBe(false);
  });
});
