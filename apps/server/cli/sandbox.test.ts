import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sandboxLicenses } from "@countersign/domain/sandbox/license-keys";
import { runHere } from "../../../tests/support/run-command.ts";

const program = join(import.meta.dir, "../main.ts");

const children: Bun.Subprocess[] = [];
afterAll(() => {
  for (const child of children) child.kill(9);
});

/** Starts the command in a process without any setting of a database. */
async function start(...options: string[]) {
  const child = Bun.spawn([process.execPath, program, "sandbox", "--port", "0", "--json", ...options], {
    env: { PATH: process.env.PATH ?? "", DATABASE_URL: "postgres://127.0.0.1:1/none" },
    stdout: "pipe",
  });
  children.push(child);
  const { value } = await child.stdout.getReader().read();
  const printed = JSON.parse(new TextDecoder().decode(value));
  const ask = (path: string, init: RequestInit = {}, key: string = printed.api_key) =>
    fetch(printed.url + path, { ...init, headers: { ...init.headers, authorization: `Bearer ${key}` } });
  const validate = (licenseKey: string, headers: Record<string, string> = {}) =>
    ask("/api/v1/validate", { method: "POST", headers, body: JSON.stringify({ license_key: licenseKey }) });
  return { child, printed, ask, validate };
}

describe("the sandbox command", () => {
  let running: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    running = await start();
  });

  test("answers both endpoints for every fixed license key, without a database", async () => {
    expect(running.printed.license_keys).toEqual(sandboxLicenses.map(({ licenseKey }) => licenseKey));
    for (const { licenseKey, status, httpStatus, lookupHttpStatus } of sandboxLicenses) {
      const response = await running.validate(licenseKey);
      expect(response.headers.get("x-countersign-sandbox")).toBe("true");
      expect([licenseKey, response.status, ((await response.json()) as { status: string }).status]).toEqual([
        licenseKey,
        httpStatus,
        status,
      ]);
      const record = await running.ask(`/api/v1/license/${licenseKey}`);
      expect([licenseKey, record.status]).toEqual([licenseKey, lookupHttpStatus]);
    }
    expect(await (await running.validate("MADE-UP")).json()).toMatchObject({
      valid: false,
      status: "license_not_found",
      signature: null,
    });
  });

  test("refuses every API key but its own, other paths and other methods", async () => {
    const realKey = running.printed.api_key.replace("cskt_", "csk_");
    for (const key of [realKey, "cskt_wrong", "", `${running.printed.api_key}0`])
      expect((await running.ask("/api/v1/license/SANDBOX-ACTIVE", {}, key)).status).toBe(401);
    expect((await running.ask("/api/v1/validate")).status).toBe(405);
    expect((await running.ask("/api/manage/v1/me")).status).toBe(404);
    expect((await running.ask("/healthz")).status).toBe(200);
  });

  test("has the keys that the guide shows", async () => {
    const guide = readFileSync(
      join(import.meta.dir, "../../../docs/guides/testing-your-integration.md"),
      "utf8",
    );
    const { printed } = await start("--signed");
    for (const text of [printed.api_key, printed.product_id, printed.signing_secret])
      expect(guide).toContain(text);
  });
});

test("the sandbox command signs responses if it is asked to, and ends with SIGTERM", async () => {
  const { child, validate } = await start("--signed");
  const response = await validate("SANDBOX-ACTIVE", { "x-countersign-nonce": "nonce-of-this-test" });
  const { signature } = (await response.json()) as { signature: string };
  expect(signature).toMatch(/^t=\d+,n=nonce-of-this-test,k=sandbox_\w+,v1=[0-9a-f]{64}$/);
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
});

test.each([
  [["--port", "http"], '--port must be a whole number from 0 to 65535, not "http".'],
  [["--port", "65536"], '--port must be a whole number from 0 to 65535, not "65536".'],
  [["--host", "256.1.1.1"], "The sandbox cannot listen on 256.1.1.1, port 4010: "],
])("the sandbox command refuses %j with a sentence", async (options, sentence) => {
  const { code, stderr } = await runHere(["sandbox", ...options]);
  expect(code).toBe(1);
  expect(stderr).toStartWith(sentence);
});
