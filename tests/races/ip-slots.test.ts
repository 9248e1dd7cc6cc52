import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { generateLicenseKey } from "@countersign/domain/licenses/key";
import { createLicenses } from "@countersign/store/queries/licenses/create";
import { databases } from "../support/databases.ts";
import { KeepAliveCaller, validateRequest } from "../support/keep-alive.ts";
import { openNodes } from "../support/nodes.ts";
import { newId } from "../support/test-organization.ts";
import { long } from "./size.ts";

setDefaultTimeout(1_800_000);

const addresses = long ? 500 : 60;
const licenseCount = long ? 1_000 : 40;
const maxIps = 3;

for (const { kind, make } of databases) {
  const nodeCount = kind === "postgres" ? 3 : 1;
  describe(`concurrent registration of IP addresses, on ${kind} with ${nodeCount} node(s)`, () => {
    for (const scope of ["until_limit", "first_only"] as const) {
      const slots = scope === "first_only" ? 1 : maxIps;
      test(`${scope}: of ${addresses} IP addresses, exactly ${slots} get a slot on each of ${licenseCount} licenses`, async () => {
        const nodes = await openNodes(make, nodeCount, { settings: { auto_register_scope: scope } });
        const { store, organizationId, productId, apiKey } = nodes.org;
        const licenses = Array.from({ length: licenseCount }, () => ({
          id: newId(),
          organizationId,
          productId,
          customerId: null,
          maxIps,
          key: generateLicenseKey((count) => crypto.getRandomValues(new Uint8Array(count))),
        }));
        await store.transaction((db) => createLicenses(db, licenses, Date.now()));
        const taken = new Map(licenses.map(({ id }) => [id, new Set<string>()]));
        const outcomes = new Map<string, number>();
        await Promise.all(
          Array.from({ length: addresses }, async (_, index) => {
            const address = `127.0.${1 + Math.floor(index / 250)}.${1 + (index % 250)}`;
            const server = nodes.servers[index % nodes.servers.length];
            const caller = new KeepAliveCaller(server?.port ?? 0, address);
            for (const { id, key } of licenses) {
              const sent = await caller.send(validateRequest(apiKey, key));
              const body = sent.tag === "answered" ? JSON.parse(sent.answer.body) : { status: sent.tag };
              outcomes.set(body.status, (outcomes.get(body.status) ?? 0) + 1);
              if (body.ip_registered === true) taken.get(id)?.add(address);
              if (body.ip_count > slots) outcomes.set("too many told", 1);
            }
            caller.close();
          }),
        );
        const refusal = scope === "first_only" ? "ip_not_registered" : "ip_limit_reached";
        expect(Object.fromEntries(outcomes)).toEqual({
          active: licenseCount * slots,
          [refusal]: licenseCount * (addresses - slots),
        });
        const rows = await store.reads.selectFrom("license_ips").select(["license_id", "ip"]).execute();
        const counts = await store.reads.selectFrom("licenses").select(["id", "ip_count"]).execute();
        for (const { id, ip_count } of counts) {
          const registered = rows.filter((row) => row.license_id === id).map((row) => row.ip);
          expect(registered).toHaveLength(slots);
          expect(ip_count).toBe(slots);
          expect(new Set(registered)).toEqual(taken.get(id) ?? new Set());
        }
        await nodes.close();
      });
    }
  });
}
