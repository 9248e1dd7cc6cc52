import { expect, test } from "bun:test";
import { hourMs } from "@countersign/domain/dates/lengths";
import { customerOf } from "@countersign/store/queries/customers/views";
import { createLicenses, registerIp } from "@countersign/store/queries/licenses/create";
import type { Store } from "@countersign/store/store";
import { onDatabase, type QueryFixture } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { auditWithoutRequest } from "../audit-log/record.ts";
import { type NewEvent, recordEvents } from "../events/record.ts";
import { customerLines } from "./lines.ts";

onDatabase("sqlite", "the export of a customer", (fixture) => {
  test("thousands of licenses are read together, and a license with many rows page by page", async () => {
    const nowMs = Date.now() - 10 * hourMs;
    const { organizationId, productId } = await fixture.organization();
    const customerId = await fixture.customer(organizationId);
    const ids = Array.from({ length: 1_300 }, () => newId());
    const of = { organizationId, productId, customerId, maxIps: 1_000 };
    const [large = ""] = ids;
    const eventOf = (licenseId: string): NewEvent => ({
      ...{ type: "license.created", organizationId, productId, licenseId, data: { license_id: licenseId } },
    });
    const entryOf = (id: string) => ({
      ...{ action: "license.created", subject: { kind: "license", id }, after: {}, organizationId },
    });
    const times = <T>(make: (at: number) => T) => Array.from({ length: 700 }, (_, at) => make(at));
    await fixture.write(async (db) => {
      await createLicenses(
        db,
        ids.map((id) => ({ ...of, id, key: newId() })),
        nowMs,
      );
      await recordEvents(db, nowMs, ...ids.map(eventOf), ...times(() => eventOf(large)));
      const actor = { kind: "system", name: "Shop" } as const;
      await auditWithoutRequest(db, actor, nowMs, ...ids.map(entryOf), ...times(() => entryOf(large)));
      for (const id of ids.slice(0, 30)) await registerIp(db, id, "203.0.113.1", nowMs);
    });
    const logged = { organization_id: organizationId, product_id: productId, tracked: true };
    const others = [...ids.map((id, at) => ({ license_id: id, at: nowMs + at })), { license_id: newId() }];
    await fixture.log(others.map((request) => ({ ...logged, at: nowMs, ...request })));
    // A license has at most a hundred new IP addresses an hour.
    const used = times((at) => ({ ...logged, license_id: large, ip: `198.51.${at >> 8}.${at & 255}` }));
    for (let hour = 0; hour * 90 < used.length; hour++) {
      const at = nowMs + hour * hourMs;
      await fixture.log(used.slice(hour * 90, (hour + 1) * 90).map((request) => ({ ...request, at })));
    }
    await fixture.closeLog(Date.now() + hourMs);
    // These are in the part of the log that has no keys yet.
    await fixture.log(ids.slice(1, 11).map((license_id) => ({ ...logged, license_id, at: Date.now() })));

    const { lines, statements, largest } = await exported(fixture, organizationId, customerId);
    const countOf = (kind: string) => lines.filter((line) => line.kind === kind).length;
    expect(
      Object.fromEntries(
        ["license", "ip_address", "event", "audit_entry", "request"].map((kind) => [kind, countOf(kind)]),
      ),
    ).toEqual({ license: 1_300, ip_address: 2_000, event: 2_000, audit_entry: 2_000, request: 2_010 });
    const withIps = lines.filter(({ kind, data }) => kind === "license" && (data.ips as []).length > 0);
    expect(withIps).toHaveLength(30);
    const idOf = ({ data }: Line) => (data.license_id ?? data.subject_id ?? data.id) as string;
    for (const kind of ["license", "event", "audit_entry", "request"])
      expect(new Set(lines.filter((line) => line.kind === kind).map(idOf))).toEqual(new Set(ids));
    const texts = lines.map((line) => JSON.stringify(line));
    expect(texts.filter((text) => text.includes(large))).toHaveLength(1 + 701 + 701 + 701 + 701);
    expect(new Set(texts.filter((text) => /"ip_address"|"event"/.test(text))).size).toBe(4_000);
    // Each license on its own would take more than ten thousand.
    expect(statements).toBeLessThan(400);
    expect(largest).toBeLessThanOrEqual(1_000);
  }, 30_000);
});

interface Line {
  readonly kind: string;
  readonly data: Record<string, unknown>;
}

/** With the number of statements that it took, and of lines that were in memory at once. */
async function exported({ store }: QueryFixture, organizationId: string, customerId: string) {
  let statements = 0;
  const counting = {
    transformQuery: ({ node }: { readonly node: never }) => {
      statements += 1;
      return node;
    },
    transformResult: async ({ result }: { readonly result: never }) => result,
  };
  const counted: Store = new Proxy(store, {
    get: (target, key) => {
      const value = Reflect.get(target, key);
      return key === "reads" || key === "listReads" ? value.withPlugin(counting) : value;
    },
  });
  const customer = await customerOf(store.reads, organizationId, customerId);
  if (customer === undefined) throw new Error("There is no such customer.");
  const lines: Line[] = [];
  let largest = 0;
  for await (const part of customerLines(counted, customer, 0)) {
    largest = Math.max(largest, part.length);
    lines.push(...(part as Line[]));
  }
  return { lines, statements, largest };
}
