import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { generateLicenseKey } from "@countersign/domain/licenses/key";
import { addIpBlocks, type BlockScope, removeIpBlock } from "@countersign/store/queries/ip-blocks/blocks";
import { createLicenses, registerIp } from "@countersign/store/queries/licenses/create";
import { updateOrganization } from "@countersign/store/queries/organizations/organizations";
import { updatePlan } from "@countersign/store/queries/plans/plans";
import { removeVersion, setVersion } from "@countersign/store/queries/versions/versions";
import type { Database } from "@countersign/store/store";
import type { Tables } from "@countersign/store/tables";
import { apiOf } from "../support/api.ts";
import { databases } from "../support/databases.ts";
import { KeepAliveCaller, validateRequest } from "../support/keep-alive.ts";
import { openOwnOrganization } from "../support/own-organization.ts";
import { countedRequests, registeredIps } from "../support/public-api-fixture.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { changeRows, storedRows } from "../support/stored-rows.ts";
import { newId, openTestOrganization, type TestOrganization } from "../support/test-organization.ts";
import { long } from "./size.ts";

setDefaultTimeout(1_800_000);

/** The calls under a daily limit, and the IP addresses that use each license. */
const size = long
  ? { limit: 10_000, calls: 12_000, callersPerNode: 200, addresses: 500, licenses: 1_000 }
  : { limit: 800, calls: 1_000, callersPerNode: 25, addresses: 36, licenses: 15 };

interface Place {
  readonly db: Database;
  readonly org: TestOrganization;
  readonly licenseId: string;
}
type Change = (place: Place) => Promise<unknown>;

const ofLicense = (columns: Partial<Tables["licenses"]>): Change => {
  return ({ db, licenseId: id }) => changeRows(db, "licenses", { id }, columns);
};
const ofProduct = (columns: Partial<Tables["products"]>): Change => {
  return ({ db, org }) => changeRows(db, "products", { id: org.productId }, columns);
};
const ofOrganization = (columns: Partial<Tables["organizations"]>): Change => {
  return ({ db, org }) => updateOrganization(db, org.organizationId, columns);
};
const ofPlan = (plan: "free" | "enterprise", dailyLimit: number | null): Change => {
  return ({ db }) => updatePlan(db, plan, { daily_limit: dailyLimit });
};
const ofKeys = (expiresAtMs: number | null): Change => {
  return ({ db, org }) =>
    changeRows(db, "product_api_keys", { product_id: org.productId }, { expires_at: expiresAtMs });
};
const ofVersion = (state: "allowed" | "blocked"): Change => {
  return ({ db, org }) => setVersion(db, org.productId, { version: "1.0.0", state }, Date.now());
};
const inTurn = (first: Change, second: Change): Change => {
  return (place) => first(place).then(() => second(place));
};

const blockId = newId();
const scopeOf = (tier: BlockScope["tier"], { org, licenseId }: Place): BlockScope => {
  return { tier, organizationId: org.organizationId, licenseId, customerId: "" };
};
const block = (tier: BlockScope["tier"]): Change => {
  const added = { id: blockId, cidr: "127.0.0.0/8", note: null, expiresAtMs: null };
  return (place) => addIpBlocks(place.db, [{ ...added, scope: scopeOf(tier, place) }], Date.now());
};
const unblock = (tier: BlockScope["tier"]): Change => {
  return (place) => removeIpBlock(place.db, blockId, scopeOf(tier, place));
};

const revoke = ofLicense({ revoked_at: 1 });
const expire = ofLicense({ is_lifetime: 0, expires_at: 1 });
const last = ofLicense({ is_lifetime: 1, expires_at: null });
const suspend = ofOrganization({ suspended_at: 1 });
const restore = ofOrganization({ suspended_at: null });
const billing = (state: "active" | "suspended") => ofOrganization({ billing_state: state });
const toFree = inTurn(ofPlan("free", 0), ofOrganization({ plan: "free" }));
const toEnterprise = inTurn(ofPlan("free", 10_000), ofOrganization({ plan: "enterprise" }));
const remove: Change = ({ db, org }) => removeVersion(db, org.productId, "1.0.0");
const active = ofProduct({ status: "active" });
const limited = (limit: number | null) => ofOrganization({ daily_limit_override: limit });
const [noPlan, anyPlan] = [ofPlan("enterprise", 0), ofPlan("enterprise", null)];

const changes: readonly [what: string, change: Change, status: string, undo: Change][] = [
  ["revoking a license", revoke, "revoked", ofLicense({ revoked_at: null })],
  ["letting a license expire", expire, "expired", last],
  ["blocking IP addresses for the platform", block("platform"), "ip_blocked", unblock("platform")],
  ["blocking IP addresses for the seller", block("organization"), "ip_blocked", unblock("organization")],
  ["blocking IP addresses for the license", block("license"), "ip_blocked", unblock("license")],
  ["disabling a product", ofProduct({ status: "disabled" }), "product_disabled", active],
  ["archiving a product", ofProduct({ status: "archived" }), "product_archived", active],
  ["deleting a product", ofProduct({ deleted_at: 1 }), "product_not_found", ofProduct({ deleted_at: null })],
  ["suspending an organization", suspend, "org_suspended", restore],
  ["suspending billing", billing("suspended"), "billing_suspended", billing("active")],
  ["setting the daily limit to zero", limited(0), "rate_limit_exceeded", limited(null)],
  ["setting the daily limit of a plan to zero", noPlan, "rate_limit_exceeded", anyPlan],
  ["changing to a plan without requests", toFree, "rate_limit_exceeded", toEnterprise],
  ["revoking an API key", ofKeys(1), "invalid_api_key", ofKeys(null)],
  ["blocking a version", ofVersion("blocked"), "version_not_allowed", ofVersion("allowed")],
  ["removing a version", remove, "version_not_allowed", ofVersion("allowed")],
];

for (const { kind, make } of databases) {
  const nodeCount = kind === "postgres" ? 3 : 1;
  describe(`${nodeCount} node(s) on ${kind}`, () => {
    let org: Awaited<ReturnType<typeof openOwnOrganization>>;
    let servers: readonly ServerProcess[] = [];
    let license = { id: "", key: "" };
    beforeAll(async () => {
      org = await openOwnOrganization(make, { settings: { version_module_enabled: 1 } });
      const starting = Array.from({ length: nodeCount }, () => startServerProcess(org.environment));
      servers = await Promise.all(starting);
      license = await org.license();
      await org.store.transaction(async (db) => {
        await ofVersion("allowed")({ db, org, licenseId: license.id });
        await registerIp(db, license.id, "127.0.0.1", Date.now());
      });
    });
    afterAll(async () => {
      await Promise.all(servers.map((server) => server.stop()));
      await org.close();
    });

    const change = (by: Change) => org.store.transaction((db) => by({ db, org, licenseId: license.id }));
    /** The status at each node, or the one of all. */
    const everywhere = async () => {
      const request = { license_key: license.key, version: "1.0.0" };
      const asked = servers.map(({ url }) => apiOf(url, org.apiKey).validate(request));
      const statuses = new Set((await Promise.all(asked)).map(({ body }) => body.status));
      return [...statuses].join();
    };

    test.each(changes)(
      "%s takes effect with the next request on every node",
      async (_, act, status, undo) => {
        expect(await everywhere()).toBe("active");
        await change(act);
        expect(await everywhere()).toBe(status);
        await change(undo);
        expect(await everywhere()).toBe("active");
      },
    );

    test(`of ${size.calls} calls, exactly the daily limit of ${size.limit} is admitted and counted`, async () => {
      const limited = await openTestOrganization(null, { dailyLimit: size.limit, store: org.store });
      const { key } = await limited.license({ maxIps: null });
      const request = validateRequest(limited.apiKey, key);
      const statuses = new Map<number, number>();
      const remaining = new Set<string>();
      let started = 0;
      const callers = servers.flatMap(({ port }) =>
        Array.from({ length: size.callersPerNode }, () => new KeepAliveCaller(port)),
      );
      const call = async (caller: KeepAliveCaller) => {
        while (started < size.calls) {
          started += 1;
          const sent = await caller.send(request);
          const status = sent.tag === "answered" ? sent.answer.status : 0;
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          if (status !== 200 || sent.tag !== "answered") continue;
          remaining.add(/r=(\d+)/.exec(sent.answer.headers.get("ratelimit") ?? "")?.[1] ?? "");
        }
        caller.close();
      };
      await Promise.all(callers.map(call));
      expect(Object.fromEntries(statuses)).toEqual({ 200: size.limit, 429: size.calls - size.limit });
      expect(await countedRequests(limited)).toBe(size.limit);
      // Each admitted request got a different remaining quota, so no two shared a slot.
      expect(remaining.size).toBe(size.limit);
    });

    test.each([
      ["until_limit", 3, "ip_limit_reached"],
      ["first_only", 1, "ip_not_registered"],
    ] as const)(
      "with %s, exactly %i of many IP addresses get a slot on each license",
      async (scope, slots, refusal) => {
        const { store } = org;
        const settings = { auto_register_scope: scope };
        const { organizationId, productId, apiKey } = await openTestOrganization(null, { store, settings });
        const licenses = Array.from({ length: size.licenses }, () => ({
          ...{ id: newId(), organizationId, productId, customerId: null, maxIps: 3 },
          key: generateLicenseKey((count) => crypto.getRandomValues(new Uint8Array(count))),
        }));
        await store.transaction((db) => createLicenses(db, licenses, Date.now()));
        const taken = new Map(licenses.map(({ id }) => [id, new Set<string>()]));
        const outcomes = new Map<string, number>();
        const use = async (index: number) => {
          const address = `127.0.${1 + Math.floor(index / 250)}.${1 + (index % 250)}`;
          const caller = new KeepAliveCaller(servers[index % nodeCount]?.port ?? 0, address);
          for (const { id, key } of licenses) {
            const sent = await caller.send(validateRequest(apiKey, key));
            const body = sent.tag === "answered" ? JSON.parse(sent.answer.body) : { status: sent.tag };
            const outcome = body.ip_count > slots ? "counts more than the slots" : body.status;
            outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
            if (body.ip_registered === true) taken.get(id)?.add(address);
          }
          caller.close();
        };
        await Promise.all(Array.from({ length: size.addresses }, (_, index) => use(index)));
        const refused = size.licenses * (size.addresses - slots);
        expect(Object.fromEntries(outcomes)).toEqual({ active: size.licenses * slots, [refusal]: refused });
        for (const { id, ip_count } of await storedRows(store.reads, "licenses", { product_id: productId })) {
          const ips = await registeredIps(store, id);
          expect([ips.length, ip_count]).toEqual([slots, slots]);
          expect(new Set(ips)).toEqual(taken.get(id) ?? new Set());
        }
      },
    );
  });
}
