import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseTrustedProxies } from "@countersign/domain/ip/caller";
import { CidrSet } from "@countersign/domain/ip/cidr";
import { mmdb } from "../../../../tests/support/mmdb.ts";
import { checkClockDifference, checkRuntime, checkYear, freeSpace } from "./machine.ts";
import { checkGeoip, checkProxy, checkUrl } from "./settings.ts";

const gibibytes = (free: number, total: number) => freeSpace(free * 1024 ** 3, total * 1024 ** 3);
const clock = (date: string) => checkYear(Date.parse(date));

test.each([
  ["a tenth of the space and one GiB are free", gibibytes(1, 10), "ok"],
  ["less than one GiB is free", gibibytes(0.9, 10), "warning"],
  ["less than a twentieth of the space is free", gibibytes(4, 100), "warning"],
  ["the space is unknown", gibibytes(0, 0), "warning"],
  ["the clocks are equal", checkClockDifference(0), "ok"],
  ["the database's clock is less than two seconds behind", checkClockDifference(-1_900), "ok"],
  ["the database's clock is nearly a minute behind", checkClockDifference(-59_000), "warning"],
  ["the database's clock is minutes ahead", checkClockDifference(120_000), "problem"],
  ["the clock was never set", clock("1970-01-01"), "problem"],
  ["the clock shows a year of this release", clock("2026-05-01"), "ok"],
  ["the clock shows a far year", clock("2100-01-01"), "problem"],
  ["Bun is the expected one", checkRuntime({ bun: "1.4.4", node: "26.0.0" }), "ok"],
  ["Bun is older", checkRuntime({ bun: "1.3.9", node: "24.0.0" }), "warning"],
  ["Node.js runs it", checkRuntime({ node: "24.0.0" }), "problem"],
])("if %s, the check returns %j", (_, { state }, expected) => expect(state).toBe(expected as typeof state));

const urlOf = (host: string, url: string | null) => ({
  host,
  url: url ?? `http://${host === "0.0.0.0" ? "192.0.2.7" : host}:3000`,
  urlIsSet: url !== null,
});

test.each([
  ["127.0.0.1", null, "ok", "http://127.0.0.1:3000"],
  ["127.0.0.1", "https://license.example.com", "ok", "https://license.example.com"],
  ["0.0.0.0", "https://license.example.com", "ok", "https://license.example.com"],
  ["0.0.0.0", null, "warning", "only at http://192.0.2.7:3000"],
  ["192.0.2.9", null, "warning", "only at http://192.0.2.9:3000"],
  ["0.0.0.0", "http://localhost:3000", "warning", "only on this machine"],
])("with HOST %s and COUNTERSIGN_URL %s, the URL is %s: people sign in at %s", (host, url, state, at) => {
  const check = checkUrl(urlOf(host, url));
  expect<string>(check.state).toBe(state);
  expect(check.message).toContain(at);
  expect(check.action?.includes("COUNTERSIGN_URL") ?? false).toBe(state === "warning");
});

describe("proxies", () => {
  const trusted = parseTrustedProxies("10.0.0.0/8");
  const proxies = trusted.ok ? trusted.proxies : CidrSet.empty;

  test.each([
    ["127.0.0.1", null, CidrSet.empty, "ok"],
    ["0.0.0.0", null, CidrSet.empty, "warning"],
    ["127.0.0.1", "https://license.example.com", CidrSet.empty, "warning"],
    ["0.0.0.0", "https://license.example.com", proxies, "ok"],
  ] as const)("the proxy check compares HOST %s with the URL %s", (host, url, trustedProxies, state) => {
    const check = checkProxy({ ...urlOf(host, url), trustedProxies });
    expect(check.state).toBe(state);
    expect(check.action === null).toBe(state === "ok");
  });

  test("the proxy check names the URL as the reason only if it was set", () => {
    const nothing = { trustedProxies: CidrSet.empty };
    const messageFor = (url: string | null) => checkProxy({ ...urlOf("0.0.0.0", url), ...nothing }).message;
    expect(messageFor(null)).toStartWith("HOST is");
    expect(messageFor("https://a.example")).toStartWith("COUNTERSIGN_URL is");
  });
});

test("a GeoIP file that is missing, damaged or of another format is a warning", async () => {
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
