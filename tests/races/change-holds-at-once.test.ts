import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { addIpBlocks, type BlockScope, removeIpBlock } from "@countersign/store/queries/ip-blocks/blocks";
import { registerIp, revokeLicense } from "@countersign/store/queries/licenses/create";
import { updatePlan } from "@countersign/store/queries/plans/plans";
import { removeVersion, setVersion } from "@countersign/store/queries/versions/versions";
import type { Tables } from "@countersign/store/tables";
import type { Kysely } from "kysely";
import { apiOf } from "../support/api.ts";
import { databases } from "../support/databases.ts";
import { type Nodes, openNodes } from "../support/nodes.ts";
import { newId, type TestOrganization } from "../support/test-organization.ts";

setDefaultTimeout(60_000);

type Change = (db: Kysely<Tables>, org: TestOrganization, licenseId: string) => Promise<unknown>;

const ofLicense =
  (change: Partial<Tables["licenses"]>): Change =>
  (db, _org, licenseId) =>
    db.updateTable("licenses").set(change).where("id", "=", licenseId).execute();
const ofProduct =
  (change: Partial<Tables["products"]>): Change =>
  (db, { productId }) =>
    db.updateTable("products").set(change).where("id", "=", productId).execute();
const ofOrganization =
  (change: Partial<Tables["organizations"]>): Change =>
  (db, { organizationId }) =>
    db.updateTable("organizations").set(change).where("id", "=", organizationId).execute();

const blockId = newId();
const scopeOf = (
  tier: BlockScope["tier"],
  { organizationId }: TestOrganization,
  licenseId: string,
): BlockScope => ({
  tier,
  organizationId,
  licenseId,
  customerId: "",
});
const block =
  (tier: BlockScope["tier"]): Change =>
  (db, org, licenseId) => {
    const scope = scopeOf(tier, org, licenseId);
    return addIpBlocks(
      db,
      [{ id: blockId, scope, cidr: "127.0.0.0/8", note: null, expiresAtMs: null }],
      Date.now(),
    );
  };
const unblock =
  (tier: BlockScope["tier"]): Change =>
  (db, org, licenseId) =>
    removeIpBlock(db, blockId, scopeOf(tier, org, licenseId));

/** Every change takes effect with the next request on every node, and so does its reversal. */
const changes: readonly { what: string; make: Change; status: string | number; undo: Change }[] = [
  {
    what: "revoking a license",
    make: (db, _org, id) => revokeLicense(db, id, null, Date.now()),
    status: "revoked",
    undo: ofLicense({ revoked_at: null }),
  },
  {
    what: "letting a license expire",
    make: ofLicense({ is_lifetime: 0, expires_at: 1 }),
    status: "expired",
    undo: ofLicense({ is_lifetime: 1, expires_at: null }),
  },
  ...(["platform", "organization", "license"] as const).map((tier) => ({
    what: `blocking IP addresses for the ${tier}`,
    make: block(tier),
    status: "ip_blocked",
    undo: unblock(tier),
  })),
  {
    what: "disabling a product",
    make: ofProduct({ status: "disabled" }),
    status: "product_disabled",
    undo: ofProduct({ status: "active" }),
  },
  {
    what: "archiving a product",
    make: ofProduct({ status: "archived" }),
    status: "product_archived",
    undo: ofProduct({ status: "active" }),
  },
  {
    what: "deleting a product",
    make: ofProduct({ deleted_at: 1 }),
    status: "product_not_found",
    undo: ofProduct({ deleted_at: null }),
  },
  {
    what: "suspending an organization",
    make: ofOrganization({ suspended_at: 1 }),
    status: "org_suspended",
    undo: ofOrganization({ suspended_at: null }),
  },
  {
    what: "suspending billing",
    make: ofOrganization({ billing_state: "suspended" }),
    status: "billing_suspended",
    undo: ofOrganization({ billing_state: "active" }),
  },
  {
    what: "setting the daily limit to zero",
    make: ofOrganization({ daily_limit_override: 0 }),
    status: "rate_limit_exceeded",
    undo: ofOrganization({ daily_limit_override: null }),
  },
  {
    what: "setting the daily limit of a plan to zero",
    make: (db) => updatePlan(db, "enterprise", { daily_limit: 0 }),
    status: "rate_limit_exceeded",
    undo: (db) => updatePlan(db, "enterprise", { daily_limit: null }),
  },
  {
    what: "changing to a plan without requests",
    make: async (db, org, licenseId) => {
      await updatePlan(db, "free", { daily_limit: 0 });
      await ofOrganization({ plan: "free" })(db, org, licenseId);
    },
    status: "rate_limit_exceeded",
    undo: async (db, org, licenseId) => {
      await updatePlan(db, "free", { daily_limit: 10_000 });
      await ofOrganization({ plan: "enterprise" })(db, org, licenseId);
    },
  },
  {
    what: "revoking an API key",
    make: (db, { productId }) =>
      db.updateTable("product_api_keys").set({ expires_at: 1 }).where("product_id", "=", productId).execute(),
    status: "invalid_api_key",
    undo: (db, { productId }) =>
      db
        .updateTable("product_api_keys")
        .set({ expires_at: null })
        .where("product_id", "=", productId)
        .execute(),
  },
  {
    what: "blocking a version",
    make: (db, { productId }) =>
      setVersion(db, productId, { version: "1.0.0", state: "blocked" }, Date.now()),
    status: "version_not_allowed",
    undo: (db, { productId }) =>
      setVersion(db, productId, { version: "1.0.0", state: "allowed" }, Date.now()),
  },
  {
    what: "removing a version",
    make: (db, { productId }) => removeVersion(db, productId, "1.0.0"),
    status: "version_not_allowed",
    undo: (db, { productId }) =>
      setVersion(db, productId, { version: "1.0.0", state: "allowed" }, Date.now()),
  },
];

for (const { kind, make } of databases) {
  const nodeCount = kind === "postgres" ? 3 : 1;
  describe(`a change on ${kind} with ${nodeCount} node(s)`, () => {
    let nodes: Nodes;
    let license = { id: "", key: "" };
    beforeAll(async () => {
      nodes = await openNodes(make, nodeCount, { settings: { version_module_enabled: 1 } });
      license = await nodes.org.license();
      await nodes.org.store.transaction(async (db) => {
        await setVersion(db, nodes.org.productId, { version: "1.0.0", state: "allowed" }, Date.now());
        await registerIp(db, license.id, "127.0.0.1", Date.now());
      });
    });
    afterAll(() => nodes.close());

    const everywhere = () =>
      Promise.all(
        nodes.servers.map(async ({ url }) => {
          const api = apiOf(url, nodes.org.apiKey);
          return (await api.validate({ license_key: license.key, version: "1.0.0" })).body.status;
        }),
      );

    for (const { what, make: change, status, undo } of changes) {
      test(`${what} takes effect with the next request on every node`, async () => {
        const { org } = nodes;
        const all = (wanted: string | number) => nodes.servers.map(() => wanted);
        expect(await everywhere()).toEqual(all("active"));
        await org.store.transaction((db) => change(db, org, license.id));
        expect(await everywhere()).toEqual(all(status));
        await org.store.transaction((db) => undo(db, org, license.id));
        expect(await everywhere()).toEqual(all("active"));
      });
    }
  });
}
