import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sandboxLicenses } from "@countersign/domain/sandbox/license-keys";
import { sqlite } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";

setDefaultTimeout(60_000);

const root = join(import.meta.dir, "../..");
const guide = readFileSync(join(root, "docs/guides/testing-your-integration.md"), "utf8");

describe("the guide about tests", () => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-guide-"));
  let fixture: ManageFixture;
  let environment: Record<string, string>;
  beforeAll(async () => {
    fixture = await openManageFixture(sqlite.make);
    const { body } = await fixture.owner.api.get(`/products/${fixture.productId}/sandbox`);
    environment = { COUNTERSIGN_URL: fixture.server.url, COUNTERSIGN_TEST_KEY: String(body.api_key) };
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await fixture.close();
  });

  const blockOf = (language: string) =>
    guide.split(`\`\`\`${language}\n`)[1]?.split("\n```")[0] ?? `There is no block of ${language}.`;
  const run = async (...command: string[]) => {
    const env = { ...process.env, ...environment };
    const started = Bun.spawn(command, { env, stdout: "pipe", stderr: "pipe" });
    const output = await Promise.all([started.stdout.text(), started.stderr.text()]);
    return { exitCode: await started.exited, output: output.join("\n") };
  };

  test("the guide's table lists every license key of the sandbox", () => {
    const expected = sandboxLicenses.map(
      ({ licenseKey, status, httpStatus, lookupHttpStatus, description }) =>
        `| \`${licenseKey}\` | \`${status}\` | ${httpStatus} | ${lookupHttpStatus} | ${description} |`,
    );
    expect([...(guide.match(/^\| `SANDBOX-.*$/gm) ?? [])]).toEqual(expected);
  });

  test("the guide's job with curl passes for every outcome, and fails for a wrong one", async () => {
    const outcomes = sandboxLicenses.filter(({ variant }) => variant === null);
    const script = blockOf("sh");
    const passed = await run("sh", "-c", script);
    expect(passed.output.match(/^ok: /gm)).toHaveLength(outcomes.length);
    expect(passed.exitCode).toBe(0);
    const wrong = script.replace('"status":"expired"', '"status":"revoked"');
    const failed = await run("sh", "-c", wrong);
    expect(failed.output).toContain("not as expected: SANDBOX-EXPIRED");
    expect(failed.exitCode).toBe(1);
  });

  test("the guide's tests with an SDK pass", async () => {
    const file = join(folder, "guide.test.mjs");
    const sdk = join(root, "sdks/node/src/index.ts");
    writeFileSync(file, blockOf("js").replace('"@countersign/node"', JSON.stringify(sdk)));
    const { exitCode, output } = await run(process.execPath, "test", file);
    expect(output).toContain("6 pass");
    expect(exitCode).toBe(0);
  });
});
