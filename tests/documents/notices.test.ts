import { expect, test } from "bun:test";
import { serverBuild } from "../../apps/server/build-options.ts";
import { isAllowed, noticesText, sdkPackages, shippedPackages } from "../../scripts/notices.ts";

test("everything that is shipped, and everything that the SDKs need, has an allowed license", () => {
  const all = [...shippedPackages(), ...sdkPackages()];
  const refused = all.filter(({ license }) => !isAllowed(license));
  expect(refused.map(({ name, license, usedBy }) => `${name} (${license}), for ${usedBy}`)).toEqual([]);
  const needing = new Set(all.map(({ usedBy }) => usedBy));
  for (const part of [
    "apps/server",
    "apps/web",
    "packages/store",
    "docs",
    "sdks/nestjs",
    "sdks/python",
    "sdks/java-spring",
  ])
    expect(needing).toContain(part);
});

test.each([
  ["MIT", true],
  ["(MIT OR CC0-1.0)", true],
  ["GPL-3.0-only OR MIT", true],
  ["MIT AND GPL-3.0-only", false],
  ["LGPL-2.1", false],
  ["SEE LICENSE IN LICENSE.md", false],
  ["none", false],
])("the license %p is allowed: %p", (license, allowed) => expect(isAllowed(license)).toBe(allowed));

test("every package that is part of the built server is named in the notices, with its text", async () => {
  const { outputs } = await Bun.build(serverBuild("folder", "apps/server/main.ts"));
  const maps = await Promise.all(
    outputs.filter(({ path }) => path.endsWith(".map")).map((map) => map.json()),
  );
  const sources: readonly string[] = maps.flatMap(({ sources }) => sources);
  const names = sources.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
  const used = [...new Set(names)].sort();
  expect(used.length).toBeGreaterThan(40);
  const notices = noticesText();
  expect(used.filter((name) => !notices.includes(`\n${name} `))).toEqual([]);
  expect(notices).toContain("JavaScriptCore");
  expect(notices.match(/^Copyright /gm)?.length).toBeGreaterThan(50);
});
