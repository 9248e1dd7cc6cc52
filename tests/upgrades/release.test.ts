import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { thisRelease } from "@countersign/store/migrations/migration";
import { skipWithReason } from "../support/skip.ts";
import { releases } from "./snapshot.ts";

const root = join(import.meta.dirname, "../..");
const { problemsBefore, release, sdkVersions, sectionOf, serverVersions, withAddresses } = await import(
  join(root, "scripts/release.mjs")
);
const { billOfMaterials } = await import(join(root, "scripts/sbom.mjs"));
const { ensureActionlint, howToGetActionlint } = await import(join(root, "scripts/test-programs.mjs"));
const changelog = readFileSync(join(root, "CHANGELOG.md"), "utf8");
const project = { server: serverVersions(), sdks: sdkVersions(), changelog, uncommitted: "" };

test("this project can be released, but for the date", () => {
  expect(problemsBefore(null, project)).toEqual([]);
  const dated = { ...project, changelog: changelog.replace(/^(## \S+) \(.*\)$/m, "$1 (2031-04-05)") };
  expect(problemsBefore(`v${release}`, dated)).toEqual([]);
});

test("the release has the databases from which the next one is upgraded", () => {
  expect(release).toBe(thisRelease);
  expect(releases).toContain(release);
});

describe("a release is refused if", () => {
  const versions = (...all: string[]) => all.map((version, at) => ({ path: `${at}.json`, version }));
  const good = {
    server: versions("1.2.0", "1.2.0"),
    sdks: versions("0.4.0", "0.4.0"),
    changelog: "# Changelog\n\n## 1.2.0 (2031-04-05)\n\nNews.\n\n## 1.1.0 (2031-03-01)\n\nOlder news.\n",
    uncommitted: "",
  };
  test.each([
    [
      "a package has another version",
      "v1.2.0",
      { server: versions("1.2.0", "1.1.0") },
      "1.json has version 1.1.0",
    ],
    [
      "an SDK has another version",
      "v1.2.0",
      { sdks: versions("0.4.0", "0.3.0") },
      "1.json has version 0.3.0",
    ],
    ["the tag is of another release", "v1.3.0", {}, "The tag is v1.3.0, but this is 1.2.0."],
    ["the changelog lacks it", "v1.2.0", { changelog: "# Changelog\n" }, "no section of 1.2.0"],
    [
      "its section is empty",
      null,
      { changelog: "## 1.2.0 (unreleased)\n\n## 1.1.0 (2031-03-01)\n\nA" },
      "no section of 1.2.0",
    ],
    ["it has no date", "v1.2.0", { changelog: "## 1.2.0 (unreleased)\n\nNews.\n" }, "no date for 1.2.0"],
    ["something is not committed", "v1.2.0", { uncommitted: " M README.md" }, "README.md"],
  ])("%s", (_, tag, change, problem) => {
    expect(problemsBefore("v1.2.0", good)).toEqual([]);
    const problems = problemsBefore(tag, { ...good, ...change });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });

  test("its notes are its own section, with links that lead to its files", () => {
    expect(sectionOf(good.changelog, "1.2.0")).toEqual({ date: "2031-04-05", text: "News." });
    const where = { GITHUB_SERVER_URL: "https://git.example", GITHUB_REPOSITORY: "a/b" };
    const text = "[a](CHANGELOG.md) [c](https://c.example) [d](#d)";
    expect(withAddresses(text, {})).toBe(text);
    expect(withAddresses(text, where)).toBe(
      `[a](https://git.example/a/b/blob/v${release}/CHANGELOG.md) [c](https://c.example) [d](#d)`,
    );
  });
});

test("the bill of materials has what the server and the dashboard import, with checksums and licenses", () => {
  const bill = billOfMaterials({ release, releasedAt: null });
  expect(bill).toEqual(billOfMaterials({ release, releasedAt: null }));
  const components = new Map<string, { hashes?: unknown[]; licenses?: unknown[] }>(
    bill.components.map((one: { purl: string }) => [one.purl, one]),
  );
  const manifests = ["apps/server", "apps/web", "packages/store", "packages/domain"].map((folder) =>
    JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")),
  );
  const needed = Object.assign({ bun: "1.4.4" }, ...manifests.map(({ dependencies }) => dependencies));
  for (const [name, version] of Object.entries(needed))
    if (!name.startsWith("@countersign/"))
      expect([name, components.has(`pkg:npm/${name.replace("@", "%40")}@${version}`)]).toEqual([name, true]);
  expect([...components.keys()].filter((purl) => /playwright|biome|typescript@/.test(purl))).toEqual([]);
  for (const [purl, { hashes, licenses }] of components)
    expect([purl, hashes?.length, licenses?.length]).toEqual([purl, 1, 1]);
  const known = new Set([`countersign@${release}`, ...components.keys()]);
  for (const { ref, dependsOn } of bill.dependencies)
    expect([ref, ...dependsOn].filter((one: string) => !known.has(one))).toEqual([]);
  expect(bill.serialNumber).toMatch(
    /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
});

describe("the workflows", () => {
  const folder = join(root, ".github/workflows");
  const files = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));
  const actionlint: string | null = ensureActionlint();

  if (actionlint === null) skipWithReason("the workflows are valid", howToGetActionlint);
  else
    test("are valid", () => {
      const { stdout, status } = spawnSync(actionlint, ["-no-color"], { cwd: root, encoding: "utf8" });
      expect([stdout, status]).toEqual(["", 0]);
    });

  test("call commands of this project that exist", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const called = files.flatMap(({ text }) =>
      [...text.matchAll(/npm (?:run (?:--silent )?)?(test|release|build:executable|generate)\b/g)].map(
        ([, name = ""]) => name,
      ),
    );
    expect(new Set(called)).toEqual(new Set(["test", "release", "build:executable", "generate"]));
    for (const name of called) expect([name, name in scripts]).toEqual([name, true]);
  });

  test("name no owner: they work in every copy of the project", () => {
    for (const { text } of files) expect(text.match(/(?:github\.com|ghcr\.io)\/(?!\$\{\{)\S+/g)).toBeNull();
  });
});
