import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseTrustedProxies } from "@countersign/domain/ip/caller";
import { CidrSet } from "@countersign/domain/ip/cidr";
import { mmdb } from "../../../../tests/support/mmdb.ts";
import { freeSpace } from "./folder.ts";
import { checkGeoip } from "./geoip.ts";
import { checkClockDifference, checkRuntime, checkYear } from "./machine.ts";
import { checkProxy } from "./proxy.ts";

const gibibyte = 1024 ** 3;

test.each([
  [50 * gibibyte, 100 * gibibyte, "ok"],
  [1 * gibibyte, 10 * gibibyte, "ok"],
  [0.9 * gibibyte, 10 * gibibyte, "warning"],
  [4 * gibibyte, 100 * gibibyte, "warning"],
  [0, 0, "warning"],
] as const)("%d of %d bytes free: %s", (free, total, state) => {
  expect(freeSpace(free, total).state).toBe(state);
});

test.each([
  [0, "ok"],
  [-1_900, "ok"],
  [5_000, "warning"],
  [-59_000, "warning"],
  [120_000, "problem"],
] as const)("a database clock %d ms ahead: %s", (ahead, state) => {
  expect(checkClockDifference(ahead).state).toBe(state);
});

test.each([
  ["1970-01-01", "problem"],
  ["2026-05-01", "ok"],
  ["2100-01-01", "problem"],
] as const)("a clock at %s: %s", (date, state) => expect(checkYear(Date.parse(date)).state).toBe(state));

test.each([
  [{ bun: "1.4.4", node: "26.0.0" }, "ok"],
  [{ bun: "2.0.0", node: "26.0.0" }, "ok"],
  [{ bun: "1.3.9", node: "24.0.0" }, "warning"],
  [{ node: "24.0.0" }, "problem"],
] as const)("run by %j: %s", (versions, state) => expect(checkRuntime(versions).state).toBe(state));

describe("the proxy check", () => {
  const trusted = parseTrustedProxies("10.0.0.0/8");
  const proxies = trusted.ok ? trusted.proxies : CidrSet.empty;

  test.each([
    ["127.0.0.1", "http://127.0.0.1:3000", CidrSet.empty, "ok"],
    ["::1", "http://localhost:3000", CidrSet.empty, "ok"],
    ["0.0.0.0", "http://0.0.0.0:3000", CidrSet.empty, "warning"],
    ["127.0.0.1", "https://license.example.com", CidrSet.empty, "warning"],
    ["127.0.0.1", "http://license.example.com", CidrSet.empty, "warning"],
    ["0.0.0.0", "https://license.example.com", proxies, "ok"],
  ] as const)("HOST %s and %s: %#", (host, url, trustedProxies, state) => {
    const check = checkProxy({ host, url, trustedProxies });
    expect(check.state).toBe(state);
    expect(check.action === null).toBe(state === "ok");
  });

  test("the URL is named as the reason only if it was set", () => {
    const nothing = { trustedProxies: CidrSet.empty };
    const messageFor = (url: string) => checkProxy({ host: "0.0.0.0", url, ...nothing }).message;
    expect(messageFor("http://0.0.0.0:3000")).toStartWith("HOST is");
    expect(messageFor("https://a.example")).toStartWith("COUNTERSIGN_URL is");
  });
});

test("a GeoIP file that is missing, damaged or no such file is a warning", async () => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-doctor-"));
  const path = join(folder, "countries.mmdb");
  const checked = async (content: Buffer | string) => {
    writeFileSync(path, content);
    return (await checkGeoip(path)).map(({ state, message }) => `${state}: ${message}`);
  };
  const file = mmdb({ "192.0.0.0/8": { country: "DE" }, "198.0.0.0/8": { country: "FR" } });
  expect(await checkGeoip(null)).toEqual([]);
  expect((await checkGeoip(path))[0]).toMatchObject({ state: "warning", name: "geoip" });
  expect(await checked(file)).toEqual([`ok: The GeoIP file ${path} can be read.`]);
  expect(await checked("text")).toEqual([expect.stringMatching(/^warning: .* cannot be read/)]);
  file.fill(0x3f, file.indexOf("FR") - 1, file.indexOf("FR") + 2);
  expect(await checked(file)).toEqual([expect.stringMatching(/^warning: .* is damaged/)]);
  rmSync(folder, { recursive: true });
});
