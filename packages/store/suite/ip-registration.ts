import { describe, expect, test } from "bun:test";
import { registeredIps } from "../../../tests/support/public-api-fixture.ts";
import { storedRow } from "../../../tests/support/stored-rows.ts";
import { as, askFrom, race, times, validate, validateAll, verdictOf } from "./calls.ts";
import { changeLicense, changeProduct, resetIps } from "./changes.ts";
import type { StoreFixture } from "./fixture.ts";

export function ipRegistration(fixture: StoreFixture) {
  describe("IP registration", () => {
    const nodes = () => fixture.nodes(fixture.kind === "postgres" ? 3 : 1);
    test.each([
      { ips: 50, scope: "until_limit", batchSize: 1, slots: 3, otherwise: "ip_limit_reached" },
      { ips: 50, scope: "until_limit", batchSize: 5, slots: 3, otherwise: "ip_limit_reached" },
      { ips: 50, scope: "until_limit", batchSize: 50, slots: 3, otherwise: "ip_limit_reached" },
      { ips: 50, scope: "first_only", batchSize: 4, slots: 1, otherwise: "ip_not_registered" },
      { ips: 1, scope: "until_limit", batchSize: 4, slots: 1, otherwise: "active" },
    ] as const)(
      "in concurrent batches of $batchSize, $ips IP addresses take exactly $slots slots, and others are $otherwise",
      async ({ ips, scope, batchSize, slots, otherwise }) => {
        const org = await fixture.org({ settings: { auto_register_scope: scope } });
        const { id, key } = await org.license({ maxIps: 3 });
        const calls = times(200, (index) => validate(org.apiKey, key, { ip: `10.1.0.${index % ips}` }));
        const results = await race(await nodes(), calls, batchSize);
        const registered = await registeredIps(org.store, id);
        const { ip_count } = await storedRow(org.store.reads, "licenses", { id });
        const verdicts = results.map((one) => as("validated", one).verdict);
        const taken = verdicts.filter(({ ipRegistered }) => ipRegistered === true).length;
        expect([registered.length, ip_count, taken]).toEqual([slots, slots, slots]);
        calls.forEach((call, index) => {
          const status = registered.includes(call.ipAddress.text) ? "active" : otherwise;
          expect(verdicts[index]).toMatchObject({ status });
          expect(verdicts[index]?.ipCount).toBeWithin(1, slots + 1);
        });
      },
    );

    test("a batch assigns slots in order, and each result has the count up to it", async () => {
      const org = await fixture.org();
      const { key } = await org.license({ maxIps: 2 });
      const ips = ["10.4.0.1", "10.4.0.1", "10.4.0.2", "10.4.0.3", "10.4.0.2"];
      const results = await askFrom(org, key, ips);
      const answer = results.map((one) => {
        const { status, ipRegistered, ipCount } = as("validated", one).verdict;
        return [status, ipRegistered, ipCount];
      });
      expect(answer).toEqual([
        ["active", true, 1],
        ["active", false, 1],
        ["active", true, 2],
        ["ip_limit_reached", false, 2],
        ["active", false, 2],
      ]);
    });

    test("licenses of one batch take slots independently", async () => {
      const org = await fixture.org();
      const licenses = [await org.license({ maxIps: 1 }), await org.license({ maxIps: 2 })];
      const calls = ["10.5.0.1", "10.5.0.2", "10.5.0.3"].flatMap((ip) =>
        licenses.map(({ key }) => validate(org.apiKey, key, { ip })),
      );
      await validateAll(org.store, calls);
      expect(await registeredIps(org.store, licenses[0]?.id ?? "")).toEqual(["10.5.0.1"]);
      expect(await registeredIps(org.store, licenses[1]?.id ?? "")).toEqual(["10.5.0.1", "10.5.0.2"]);
    });

    test("without tracking or without a limit, every IP address is accepted and none is registered", async () => {
      const org = await fixture.org({ settings: { track_ip_on_validate: 0 } });
      const { id, key } = await org.license({ maxIps: 1 });
      const accepted = { status: "active", ipRegistered: false, ipCount: 0 };
      for (const ip of ["10.8.0.1", "10.8.0.2"])
        expect(await verdictOf(org, key, { ip })).toMatchObject(accepted);
      expect(await registeredIps(org.store, id)).toEqual([]);
      await changeProduct(org, { track_ip_on_validate: 1 });
      const unlimited = await org.license({ maxIps: null });
      const none = { status: "active", ipRegistered: null, ipCount: null, maxIps: null };
      expect(await verdictOf(org, unlimited.key)).toMatchObject(none);
    });

    test("a raised limit adds slots, a lowered one keeps registered IP addresses, and a reset frees all", async () => {
      const org = await fixture.org();
      const { id, key } = await org.license({ maxIps: 1 });
      const statuses = async (...hosts: number[]) => {
        const ips = hosts.map((host) => `10.9.0.${host}`);
        return (await askFrom(org, key, ips)).map((one) => as("validated", one).verdict.status);
      };
      expect(await statuses(1, 2)).toEqual(["active", "ip_limit_reached"]);
      await changeLicense(org.store, id, { max_ips: 2 });
      expect(await statuses(2, 3)).toEqual(["active", "ip_limit_reached"]);
      await changeLicense(org.store, id, { max_ips: 1 });
      expect(await statuses(1, 2, 3)).toEqual(["active", "active", "ip_limit_reached"]);
      await resetIps(org.store, id);
      expect(await statuses(4, 1)).toEqual(["active", "ip_limit_reached"]);
    });
  });
}
