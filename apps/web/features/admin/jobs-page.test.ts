import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import words from "../../i18n/en/admin.json";
import { byJob, shownDuration, stateOf } from "./jobs-page.tsx";

const nextToAnInterval = /\bname(?::| =) "([^"]+)"[,;]\s+(?:readonly )?everyMs\b/g;
const run = {
  job: "mail",
  node: "b",
  is_this_node: false,
  is_interrupted: false,
  started_at: "2030-01-01T00:00:10.000Z",
  duration_ms: 20 as number | null,
  failed_at: null as string | null,
};

test("a failure of a job counts if it is of the last run", () => {
  expect([stateOf(run), stateOf({ ...run, duration_ms: null })]).toEqual(["done", "running"]);
  const failed = ["2030-01-01T00:00:10.020Z", "2030-01-01T00:00:00.020Z"];
  expect(failed.map((failed_at) => stateOf({ ...run, failed_at }))).toEqual(["failed", "done"]);
});

test("a run whose node has stopped is not running", () => {
  expect(stateOf({ ...run, duration_ms: null, is_interrupted: true })).toBe("interrupted");
});

test("runs are sorted by job, those of this node first", () => {
  const thisNode = { ...run, node: "d", is_this_node: true };
  const sorted = byJob([{ ...run, job: "usage" }, { ...run, node: "c" }, thisNode, run]);
  const shown = sorted.map(({ job, node }) => `${job} ${node}`);
  expect(shown).toEqual(["mail d", "mail b", "mail c", "usage b"]);
});

test.each([
  [0, "0 ms"],
  [999, "999 ms"],
  [1_500, "1.5 seconds"],
  [60_000, "1 minute"],
  [5_400_000, "1.5 hours"],
  [86_400_000, "1 day"],
])("%d ms is shown as %s", (ms, words) => expect(shownDuration(ms, "en")).toBe(words));

test("every periodic job of the server has a name in the dashboard", () => {
  const server = join(import.meta.dir, "../../../server");
  const files = readdirSync(server, { recursive: true, encoding: "utf8" });
  const jobs = files
    .filter((file) => file.endsWith(".ts") && !file.includes(".test.") && !file.startsWith("dist"))
    .flatMap((file) => [...readFileSync(join(server, file), "utf8").matchAll(nextToAnInterval)])
    .map(([, name = ""]) => name);
  expect([...new Set(jobs)].sort()).toEqual(Object.keys(words.jobs.names).sort());
});
