import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { databases } from "../support/databases.ts";
import { type ImportSample, importSamples, sampleFile } from "../support/import-samples/expected.ts";
import { csv, exported, finishedImport, newProduct } from "../support/license-files.ts";
import type { ManageAnswer } from "../support/manage-client.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { openOwnOrganization } from "../support/own-organization.ts";
import { runHere } from "../support/run-command.ts";
import { testsOn } from "../support/tests-on.ts";

setDefaultTimeout(60_000);

const json = { "content-type": "application/json" };
const bodyOf = ({ file }: ImportSample) => readFileSync(sampleFile(file), "utf8");

/** The same for the command and the API. */
function expectResult(sample: ImportSample, job: ManageAnswer["body"], isDryRun: boolean) {
  const { source, skipped, errors } = sample;
  const counts = { created: Object.keys(sample.licenses).length, updated: 0, skipped, failed: errors.length };
  expect(job).toMatchObject({ state: "finished", source, dry_run: isDryRun, ...counts });
  const shown = (job.errors as { row: number; column: string | null; code: string }[]).map(
    ({ row, column, code }) => [row, column, code],
  );
  expect(shown).toEqual(errors as unknown as typeof shown);
}

function expectLicenses(sample: ImportSample, licenses: ReadonlyMap<string, Record<string, unknown>>) {
  expect([...licenses.keys()].sort()).toEqual(Object.keys(sample.licenses).sort());
  for (const [key, expected] of Object.entries(sample.licenses))
    expect(licenses.get(key), key).toMatchObject(expected);
}

describe.each(databases)("countersign import of other services' exports on $kind", ({ make }) => {
  let fixture: Awaited<ReturnType<typeof openOwnOrganization>>;
  beforeAll(async () => {
    fixture = await openOwnOrganization(make);
    return () => fixture.close();
  });

  test.each(importSamples.map((sample) => [sample.source, sample] as const))(
    "%s: the preview and the import agree, and each license is as expected",
    async (source, sample) => {
      const { productId } = await fixture.product();
      const customer = sample.customer === undefined ? [] : ["--customer", sample.customer];
      const args = [
        ...["import", "--product", productId, "--source", source, "--file", sampleFile(sample.file)],
        ...["--mode", "row_by_row", "--json", ...customer],
      ];
      const dry = await runHere([...args, "--dry-run"], fixture.environment);
      expect(dry).toMatchObject({ code: sample.errors.length === 0 ? 0 : 1, stderr: "" });
      expectResult(sample, JSON.parse(dry.stdout), true);
      const done = await runHere(args, fixture.environment);
      expectResult(sample, JSON.parse(done.stdout), false);
      const exporting = ["export", "--organization", fixture.organizationId, "--product", productId];
      const lines = (await runHere([...exporting, "--format", "jsonl"], fixture.environment)).stdout;
      const records = lines.split("\n").flatMap((line) => (line === "" ? [] : JSON.parse(line)));
      expectLicenses(sample, new Map(records.map((record) => [String(record.license_key), record])));
    },
  );
});

testsOn("sqlite", "imports of other services' exports", openManageFixture, (fixture) => {
  const importSample = async (sample: ImportSample, productId: string, query: string) => {
    const type = sample.file.endsWith(".json") ? json : csv;
    const customer = sample.customer === undefined ? "" : `&default_customer_email=${sample.customer}`;
    const path = `/products/${productId}/licenses/import?source=${sample.source}${customer}${query}`;
    const sent = await fixture.owner.api.send("POST", path, bodyOf(sample), type);
    expect(sent.status, sent.text).toBe(202);
    return finishedImport(fixture, sent.body.id, productId);
  };
  const sampleOf = (source: string) => {
    const sample = importSamples.find((one) => one.source === source);
    if (sample === undefined) throw new Error(`There is no sample of ${source}.`);
    return sample;
  };

  test.each(importSamples.map((sample) => [sample.source, sample] as const))(
    "%s: each license is as expected, and validates as it should",
    async (_, sample) => {
      const product = await fixture.owner.api.post(`/organizations/${fixture.organizationId}/products`, {
        name: `From ${sample.source}`,
      });
      const productId = String(product.body.id);
      expectResult(sample, await importSample(sample, productId, "&mode=row_by_row"), false);
      expectLicenses(sample, await exported(fixture, productId));
      for (const [license_key, status] of Object.entries(sample.validated)) {
        const response = await fetch(`${fixture.url}/api/v1/validate`, {
          method: "POST",
          headers: { authorization: `Bearer ${product.body.api_key}`, ...json },
          body: JSON.stringify({ license_key }),
        });
        expect(await response.json(), license_key).toMatchObject({ status, valid: status === "active" });
      }
      // Again, as while both services are in use: nothing changes, and nothing is reinstated.
      const again = await importSample(sample, productId, "&mode=row_by_row&on_existing=skip");
      expect(again).toMatchObject({ created: 0, updated: 0, failed: sample.errors.length });
    },
  );

  test("a column of a source can be mapped to another field, or ignored", async () => {
    const productId = await newProduct(fixture);
    const columns = {
      "attributes.maxMachines": "max_ips",
      "attributes.name": null,
      "relationships.policy.data.id": null,
      "relationships.product.data.id": null,
    };
    const query = `&mode=row_by_row&columns=${encodeURIComponent(JSON.stringify(columns))}`;
    const job = await importSample(sampleOf("keygen"), productId, query);
    expect(job).toMatchObject({ columns, created: 6, failed: 2 });
    const licenses = await exported(fixture, productId);
    expect(licenses.get("C1B6DE-39A6E3-DE1529-8559A0-4AF593-V3")).toMatchObject({ max_ips: 5, notes: null });
    // Unlimited machines mean unlimited IP addresses.
    expect(licenses.get("C1B6DE-EXPIRED-V3")).toMatchObject({ ip_system_enabled: false });
  });

  test("an update reinstates no license that was revoked here, and gives no license another customer", async () => {
    const productId = await newProduct(fixture);
    const sample = sampleOf("licensegate");
    await importSample(sample, productId, "&mode=row_by_row");
    const key = "5f1c7e2a-8d21-4f50-9a3a-0c6a5a5f3b11";
    const { id } = (await exported(fixture, productId)).get(key) ?? {};
    await fixture.owner.api.post(`/licenses/${id}/revoke`, {});
    const other = { ...sample, customer: "another@example.com" };
    const job = await importSample(other, productId, "&mode=row_by_row&on_existing=update");
    expect(job).toMatchObject({ updated: 3 });
    expect((await exported(fixture, productId)).get(key)).toMatchObject({
      ...{ status: "revoked", customer_email: "unknown@example.com" },
    });
  });

  test("a file that is not of the source, or not whole, is refused before anything is stored", async () => {
    const path = `/products/${fixture.productId}/licenses/import?source=`;
    const refused: [source: string, body: string, type: Record<string, string>, error: object][] = [
      [
        "keygen",
        '{"licenses":[{"id":1}]}',
        json,
        { code: "no_records", params: { lists: ["data", "included"] } },
      ],
      ["keygen", bodyOf(sampleOf("keygen")).slice(0, -20), json, { code: "json_not_closed" }],
      ["cryptlex", "[1, }", json, { code: "json_invalid", params: { row: 2 } }],
      ["gumroad", "Name,Age\nx,1\n", csv, { code: "no_known_column" }],
    ];
    for (const [source, body, type, error] of refused) {
      const answer = await fixture.owner.api.send("POST", path + source, body, type);
      expect(answer, source).toMatchObject({ status: 422, body: { errors: [{ field: "body", ...error }] } });
    }
    expect((await fixture.owner.api.send("POST", `${path}none`, "[]", json)).status).toBe(422);
  });

  test("a JSON array with the names of an export is imported without a source", async () => {
    const productId = await newProduct(fixture);
    const path = `/products/${productId}/licenses/import`;
    const body = JSON.stringify(
      [{ license_key: "JSON-1", customer_email: "a@example.com", tags: ["x"] }],
      null,
      1,
    );
    const sent = await fixture.owner.api.send("POST", path, body, json);
    expect(await finishedImport(fixture, sent.body.id, productId)).toMatchObject({
      created: 1,
      source: null,
    });
  });
});
