import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mmdb } from "../../../../tests/support/mmdb.ts";
import { GeoFile, openGeo } from "./geo-file.ts";

function countriesFile(countries: Readonly<Record<string, string>>): Buffer {
  return mmdb(
    Object.fromEntries(Object.entries(countries).map(([network, country]) => [network, { country }])),
  );
}

const folder = mkdtempSync(join(tmpdir(), "countersign-geoip-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("countries of IPv4 and IPv6 addresses and networks are found", async () => {
  const countries = {
    "192.0.2.0/24": "DE",
    "198.51.100.128/25": "fr",
    "2001:db8:1::/48": "JP",
    "203.0.113.0/24": "none",
  };
  const geo = await openGeo(countriesFile(countries));
  expect(geo.hasPlaces).toBe(false);
  const ips = ["192.0.2.77", "198.51.100.200", "2001:db8:1:2::3", "2001:db8:1:2::/64"];
  expect(ips.map((ip) => geo.placeOf(ip)?.country ?? "")).toEqual(["DE", "FR", "JP", "JP"]);
  expect(["198.51.100.1", "2001:db8:2::1"].map((ip) => geo.placeOf(ip))).toEqual([null, null]);
  expect(geo.placeOf("203.0.113.1")).toEqual({ country: null, coordinates: null });
});

test("coordinates are found in a file of cities", async () => {
  const coordinates = { latitude: 52.52, longitude: 13.4 };
  const berlin = { country: "DE", ...coordinates };
  const geo = await openGeo(mmdb({ "192.0.2.0/24": berlin, "198.51.100.0/24": { country: "FR" } }));
  expect(geo.hasPlaces).toBe(true);
  expect(geo.placeOf("192.0.2.1")).toEqual({ country: "DE", coordinates });
  expect(geo.placeOf("198.51.100.1")?.coordinates).toBeNull();
});

test("a replaced GeoIP file is read again, and one that cannot be read leaves the old one in use", async () => {
  const path = join(folder, "countries.mmdb");
  const replace = (content: Buffer | string) => {
    writeFileSync(`${path}.new`, content);
    renameSync(`${path}.new`, path);
  };
  const failures: string[] = [];
  const file = new GeoFile(path, (reason) => failures.push(reason));
  const country = () => file.current?.placeOf("192.0.2.1")?.country;
  for (const one of ["DE", "AT"]) {
    replace(countriesFile({ "192.0.2.0/24": one }));
    await file.refresh();
    expect([country(), file.failure]).toEqual([one, null]);
  }
  replace("no file of this kind");
  for (let time = 0; time < 2; time++) await file.refresh();
  expect([country(), file.failure, failures]).toEqual(["AT", expect.any(String), [expect.any(String)]]);
  // As if it were not yet mounted again.
  replace(countriesFile({ "192.0.2.0/24": "CH" }));
  await file.refresh();
  renameSync(path, `${path}.away`);
  for (let time = 0; time < 2; time++) await file.refresh();
  expect([country(), failures.length]).toEqual(["CH", 2]);
  renameSync(`${path}.away`, path);
  await file.refresh();
  expect(file.failure).toBeNull();
});

test("a damaged record is reported once and has no place, and the others are found", async () => {
  const path = join(folder, "damaged.mmdb");
  const damaged = countriesFile({ "192.0.2.0/24": "DE", "198.51.100.0/24": "FR" });
  // The second record has an impossible type: a pointer beyond the end of the file.
  writeFileSync(path, damaged.fill(0x3f, damaged.indexOf("FR") - 1, damaged.indexOf("FR") + 2));
  const failures: string[] = [];
  const file = new GeoFile(path, (reason) => failures.push(reason));
  await file.refresh();
  expect(file.failure).toBeNull();
  for (let at = 0; at < 3; at++) expect(file.current?.placeOf("198.51.100.1")).toBeNull();
  expect(file.current?.placeOf("192.0.2.1")?.country).toBe("DE");
  expect(failures).toEqual([expect.stringContaining("The record of 198.51.100.1 is damaged")]);
  expect(file.failure).toBe(failures[0] ?? null);
});

test("a GeoIP file that is cut off is refused", async () => {
  const file = countriesFile({ "192.0.2.0/24": "DE" });
  expect(openGeo(file.subarray(0, 60))).rejects.toThrow();
  expect(openGeo(Buffer.alloc(0))).rejects.toThrow();
});
