import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import words from "../../i18n/en/admin.json";

const server = join(import.meta.dir, "../../../server");

test("every periodic job of the server has a name in the dashboard", () => {
  const jobs = readdirSync(server, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.includes(".test.") && !file.startsWith("dist"))
    .flatMap((file) => jobsIn(readFileSync(join(server, file), "utf8")));
  expect([...new Set(jobs)].sort()).toEqual(Object.keys(words.jobs.names).sort());
});

/** The names that are next to an interval. */
function jobsIn(source: string): string[] {
  return [...source.matchAll(/\bname(?::| =) "([^"]+)"[,;]\s+(?:readonly )?everyMs\b/g)].map(
    ([, name = ""]) => name,
  );
}
