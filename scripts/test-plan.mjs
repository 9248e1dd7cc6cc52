import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, posix } from "node:path";
import { kindOf } from "./test-report.mjs";
import { root } from "./toolchain.mjs";

/** Outages, kills, races and stops under load. Their results mean little while other tests use the processor. */
const idleMachine = new Set(["faults", "races"]);

/** The files of these kinds start nothing, and take less time than a process. */
const together = new Set(["rules", "contract", "dashboard"]);

/** These change their process, or start more than others. */
const apart = new Set(["faults", "races", "test run", "mutants", "guides"]);

/** These start no server, which would serve the dashboard. */
const withoutServer = new Set([
  ...["rules", "contract", "dashboard", "store", "server", "deploy", "test run", "mutants"],
]);

/** The files of a process take about this long, so that the last processes end at about the same time. */
const groupSeconds = 45;

/** A browser and its server take 4 seconds of processor time to start, and each process compiles the dashboard again. */
const groupSecondsOfKind = { browser: 90 };

/** For files of which the duration is unknown, such as all in a new clone: seconds for a hundred lines, by kind. */
const secondsPerHundredLines = {
  browser: 10,
  routes: 6,
  management: 2,
  "black-box": 3,
  "command line": 5,
  store: 1,
  SDKs: 3,
};

/** Files of these kinds that name no database start their own servers, and wait for them more than they use the cores. */
const secondsPerHundredLinesWithOwnServers = { management: 8, "black-box": 8, "command line": 8 };

/**
 * Which files share a process, and in which order the processes start. The files of a process are of one kind and on
 * one database, and share a server and a browser. Free workers take the next group of `parallel`, the longest first. The
 * groups of `last` follow.
 */
export function planOf(files, { secondsOf = () => undefined, textOf = readText } = {}) {
  const seconds = (file) => secondsOf(file) ?? expectedSeconds(file, textOf);
  const buckets = new Map();
  for (const file of [...files].sort()) {
    const kind = kindOf(file);
    const name = apart.has(kind)
      ? file
      : together.has(kind)
        ? kind
        : `${kind} on ${databaseOf(textOf(file))}`;
    const bucket = buckets.get(name) ?? { kind, files: [] };
    buckets.set(name, bucket);
    bucket.files.push(file);
  }
  const groups = [...buckets.values()]
    .flatMap(({ kind, files: all }) =>
      split(all, kind, seconds).map((part) => ({ kind, files: part, needs: needsOf(kind, part, textOf) })),
    )
    .sort((a, b) => total(b.files, seconds) - total(a.files, seconds));
  return {
    parallel: groups.filter(({ kind }) => !idleMachine.has(kind)),
    last: groups.filter(({ kind }) => idleMachine.has(kind)),
  };
}

/** What the files of a process need that is not there from the start. */
function needsOf(kind, files, textOf) {
  const needs = withoutServer.has(kind) ? [] : ["dashboard"];
  if (files.some((file) => loads(file, "tests/support/docs.ts", textOf))) needs.push("docs");
  if (files.some((file) => loads(file, "tests/support/stripe-mock.ts", textOf))) needs.push("stripe-mock");
  if (files.some((file) => loads(file, "tests/support/keyport.ts", textOf))) needs.push("keyport");
  return needs;
}

/** Whether a file imports another, also through files of the tests. */
function loads(file, wanted, textOf, seen = new Set()) {
  if (file === wanted) return true;
  if (seen.has(file)) return false;
  seen.add(file);
  const imports = [...(textOf(file) ?? "").matchAll(/from "(\.[^"]+)"/g)];
  return imports
    .map(([, path]) => posix.join(posix.dirname(file), path))
    .some((path) => path.startsWith("tests/") && loads(path, wanted, textOf, seen));
}

/** The database that the tests of a file run on, or `both`. */
function databaseOf(text) {
  return /\b(?:on|testsOn)\("(sqlite|postgres)"/.exec(text)?.[1] ?? "both";
}

/** Into as many parts of a similar duration as needed. The longest file goes where there is most time left. */
function split(files, kind, seconds) {
  const wanted = groupSecondsOfKind[kind] ?? groupSeconds;
  const count = Math.max(1, Math.round(total(files, seconds) / wanted));
  const parts = Array.from({ length: count }, () => ({ files: [], seconds: 0 }));
  for (const file of [...files].sort((a, b) => seconds(b) - seconds(a))) {
    const shortest = parts.reduce((least, part) => (part.seconds < least.seconds ? part : least));
    shortest.files.push(file);
    shortest.seconds += seconds(file);
  }
  return parts.map((part) => part.files).filter((part) => part.length > 0);
}

function total(files, seconds) {
  return files.reduce((sum, file) => sum + seconds(file), 0);
}

/** From the number of lines, including those of files beside it that it imports: some tests are written there. */
function expectedSeconds(file, textOf) {
  const text = textOf(file);
  const folder = file.slice(0, file.lastIndexOf("/"));
  // Elsewhere, a test is beside the sources that it imports.
  const imports = file.startsWith("tests/") ? text : "";
  const imported = [...imports.matchAll(/from "\.\/([^"]+)"/g)].map(([, name]) =>
    textOf(`${folder}/${name}`),
  );
  const lines = [text, ...imported].reduce((sum, part) => sum + part.split("\n").length, 0);
  const kind = kindOf(file);
  const withOwnServers = databaseOf(text) === "both" ? secondsPerHundredLinesWithOwnServers[kind] : undefined;
  return 0.2 + (lines / 100) * (withOwnServers ?? secondsPerHundredLines[kind] ?? 1);
}

/** Empty if there is no such file. */
function readText(file) {
  try {
    return readFileSync(join(root, file), "utf8");
  } catch {
    return "";
  }
}

/** How long each file took when it last ran, beside what else is installed and built. */
const durationsPath = join(root, "node_modules", ".countersign-test-seconds.json");

export function readDurations() {
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(durationsPath, "utf8"))));
  } catch {
    return new Map();
  }
}

export function writeDurations(durations) {
  writeFileSync(durationsPath, JSON.stringify(Object.fromEntries(durations), null, 1));
}

/** Most tests wait for a server or a database, so some workers more than cores keep all cores busy. */
export function workerCount() {
  const wanted = Number(process.env.COUNTERSIGN_TEST_WORKERS);
  return Number.isInteger(wanted) && wanted > 0 ? wanted : Math.min(availableParallelism() + 2, 7);
}
