import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildExecutables, executables, writeChecksums, writeNotices } from "./build-executable.mjs";
import { billOfMaterials } from "./sbom.mjs";
import { ensureInstalled, root, runBun } from "./toolchain.mjs";

const usage = `npm run release -- <step>

  check [TAG]     the versions agree, the changelog has this release, and nothing is uncommitted; with a tag, it is this
                  release's, and the changelog has its date
  snapshot        write databases of this release to tests/upgrades, from which later releases are tested to upgrade
  notes           print the section of the changelog
  build [NAME …]  executables (all, or those you name), bill of materials, notices, release notes and SHA256SUMS in
                  dist
  all [TAG]       check, all tests, build
`;

const read = (path) => readFileSync(join(root, path), "utf8");
const versionIn = (path, pattern) => ({ path, version: pattern.exec(read(path))?.[1] ?? null });
const manifest = (path) => versionIn(path, /^ {2}"version": "([^"]+)"/m);

export const release = manifest("package.json").version;

/** Every file with the version of the server. */
export function serverVersions() {
  const folders = ["apps", "packages"].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => `${parent}/${name}/package.json`),
  );
  return ["package.json", ...folders].map(manifest);
}

/** Every file with the version of the SDKs, which have the same one and their own changelogs. */
export function sdkVersions() {
  const artifact = /<artifactId>countersign-[\w-]+<\/artifactId>\s*<version>([^<$]+)</;
  const node = ["node", "express", "nestjs"].flatMap((name) => [
    manifest(`sdks/${name}/package.json`),
    versionIn(`sdks/${name}/src/version.ts`, /"(?:countersign-\w+\/)?([\d.]+[\w.-]*)"/),
  ]);
  const needed = ["express", "nestjs"].map((name) =>
    versionIn(`sdks/${name}/package.json`, /"@countersign\/node": "([^"]+)"/),
  );
  const java = ["", "java/", "java-spring/"].map((name) => versionIn(`sdks/${name}pom.xml`, artifact));
  const constant = /VERSION = "([^"]+)"/;
  return [
    ...[...node, ...needed, ...java],
    versionIn("sdks/java/src/main/java/io/countersign/SdkVersion.java", constant),
    versionIn("sdks/java-spring/src/main/java/io/countersign/spring/StarterVersion.java", constant),
    versionIn("sdks/python/src/countersign/_version.py", /__version__ = "([^"]+)"/),
  ];
}

/** The section of a release: its date, or `unreleased`, and its text. Null if there is none. */
export function sectionOf(changelog, version) {
  const [, ...sections] = changelog.split(/^## /m);
  for (const section of sections) {
    const [, found, date] = /^(\S+) \(([^)]+)\)\n/.exec(section) ?? [];
    if (found === version) return { date, text: section.slice(section.indexOf("\n")).trim() };
  }
  return null;
}

/** What prevents a release, as sentences. The tag is null before there is one. */
export function problemsBefore(tag, { server, sdks, changelog, uncommitted }) {
  const [{ version }] = server;
  const differing = (all) => all.filter((one) => one.version !== all[0].version);
  const problems = [...differing(server), ...differing(sdks)].map(
    (one) => `${one.path} has version ${one.version}, unlike the others.`,
  );
  const section = sectionOf(changelog, version);
  if (section === null || section.text === "") problems.push(`CHANGELOG.md has no section of ${version}.`);
  if (tag !== null && tag !== `v${version}`) problems.push(`The tag is ${tag}, but this is ${version}.`);
  if (tag !== null && section !== null && !/^\d{4}-\d\d-\d\d$/.test(section.date))
    problems.push(`CHANGELOG.md has no date for ${version}: "## ${version} (${section.date})".`);
  if (uncommitted !== "") problems.push(`These files are not committed:\n${uncommitted}`);
  return problems;
}

function check(tag) {
  const { stdout } = spawnSync("git", ["status", "--porcelain"], { cwd: root, encoding: "utf8" });
  const problems = problemsBefore(tag, {
    server: serverVersions(),
    sdks: sdkVersions(),
    changelog: read("CHANGELOG.md"),
    uncommitted: stdout.trimEnd(),
  });
  if (problems.length === 0) return;
  process.stderr.write(`${problems.join("\n")}\n`);
  process.exit(1);
}

function notes() {
  const section = sectionOf(read("CHANGELOG.md"), release);
  if (section === null) throw new Error(`CHANGELOG.md has no section of ${release}.`);
  return `${withAddresses(section.text, process.env)}\n`;
}

/** Where the notes are published, links to files of this project need its address. It is known in a workflow. */
export function withAddresses(text, { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository }) {
  if (server === undefined || repository === undefined) return text;
  return text.replace(/\]\((?!https?:|#)/g, `](${server}/${repository}/blob/v${release}/`);
}

async function build(names) {
  const output = join(root, "dist");
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output);
  const { date } = sectionOf(read("CHANGELOG.md"), release);
  const releasedAt = date === "unreleased" ? null : `${date}T00:00:00Z`;
  const bill = join(output, `countersign-${release}.cdx.json`);
  writeFileSync(bill, `${JSON.stringify(billOfMaterials({ release, releasedAt }), null, 2)}\n`);
  const paths = buildExecutables(names.length > 0 ? names : Object.keys(executables));
  writeFileSync(join(output, "release-notes.md"), notes());
  process.stdout.write(writeChecksums([...paths, bill, writeNotices()]));
}

const steps = {
  check: async ([tag = null]) => check(tag),
  snapshot: async () => {
    ensureInstalled();
    process.exitCode = await runBun([join(root, "tests/upgrades/make-snapshot.ts")]);
  },
  notes: async () => void process.stdout.write(notes()),
  build,
  all: async ([tag = null]) => {
    check(tag);
    const { status } = spawnSync("npm", ["test"], {
      cwd: root,
      stdio: "inherit",
      env: { ...process.env, CI: "true" },
      shell: process.platform === "win32",
    });
    if (status !== 0) process.exit(status ?? 1);
    await build([]);
  },
};

if (process.argv[1] === import.meta.filename) {
  const [name = "", ...words] = process.argv.slice(2);
  if (Object.hasOwn(steps, name)) await steps[name](words);
  else {
    process.stderr.write(usage);
    process.exitCode = 1;
  }
}
