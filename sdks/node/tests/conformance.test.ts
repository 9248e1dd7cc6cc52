import { afterAll, describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { deviceIdFrom } from "../src/device/device-id.ts";
import * as sdk from "../src/index.ts";
import { runCase } from "./run-case.mjs";
import { runDeviceId, runPortalUrl, runSignedWebhook, runWebhook } from "./run-data.mjs";

type Cases = Readonly<Record<string, readonly { readonly name: string }[]>>;

const program = join(import.meta.dir, "../../conformance/server.ts");
const server = spawn(process.execPath, [program], { stdio: ["pipe", "pipe", "inherit"] });
const url = await new Promise<string>((resolve) =>
  server.stdout?.once("data", (text) => resolve(String(text).trim())),
);
const suite = Object.entries((await (await fetch(`${url}/suite`)).json()) as Record<string, Cases>);
afterAll(() => server.stdin?.end());

test("every part of the conformance suite is known and runs", () => {
  const known = ["about", "cases", "webhooks", "signed_webhooks", "portal_urls", "device_ids"];
  expect(suite.length).toBeGreaterThan(15);
  for (const [, file] of suite) expect(Object.keys(file).filter((key) => !known.includes(key))).toEqual([]);
});

const known = { name: "", answers: [{ validate: {} }], steps: [] };
test.each([
  { ...known, unknown: "value" },
  { ...known, client: { unknown: "value" } },
  { ...known, steps: [{ unknown: true }] },
  { ...known, steps: [{ validate: { unknown: "value" }, expect: { result: {} } }] },
  { ...known, steps: [{ validate: {}, expect: { unknown: {} } }] },
  { ...known, steps: [{ validate: {}, expect: { result: {}, unknown: {} } }] },
  { ...known, steps: [{ validate: {}, expect: { result: { unknown: "value" } } }] },
  { ...known, steps: [{ validate: {}, expect: { result: {} } }], sent: [{ unknown: "value" }] },
])("the case %j with unknown members fails", async (one) => {
  await expect(runCase(sdk, url, one)).rejects.toThrow();
});

describe.each(suite)("%s", (_file, parts) => {
  for (const one of parts.cases ?? []) test(one.name, () => runCase(sdk, url, one));
  for (const one of parts.webhooks ?? []) test(one.name, () => runWebhook(sdk, one));
  for (const one of parts.signed_webhooks ?? []) test(one.name, () => runSignedWebhook(sdk, one));
  for (const one of parts.portal_urls ?? []) test(one.name, () => runPortalUrl(sdk, one));
  for (const one of parts.device_ids ?? []) test(one.name, () => runDeviceId(deviceIdFrom, one));
});
