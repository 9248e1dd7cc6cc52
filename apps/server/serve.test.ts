import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const server = import.meta.dir;

/** What the validating thread may load: none of it gets slower because of other requests. */
const allowed = [
  "config.ts",
  "http/answers.ts",
  "http/forward.ts",
  "http/listen.ts",
  "http/public.ts",
  "http/target.ts",
  "http/manage/problem.ts",
  "http/problem-of.ts",
  "log.ts",
  "management/worker-handle.ts",
  "operator-problem.ts",
  "reports.ts",
  "serve.ts",
  "storage-errors.ts",
  "worker-thread.ts",
  "features/health/",
  "features/identity/setup-link.ts",
  "features/products/api-key-use.ts",
  "features/requests/recorder.ts",
  "features/sandbox/batch.ts",
  "features/sandbox/license-record.ts",
  "features/sandbox/observers.ts",
  "features/sandbox/product.ts",
  "features/validate/",
];

test("the validating thread loads no code of the management API, sign-in, imports, webhooks or jobs", () => {
  const loaded = [...loadedFrom(join(server, "serve.ts"))].map((file) => relative(server, file));
  expect(loaded).toContain("features/validate/batch.ts");
  expect(loaded.filter((file) => !allowed.some((start) => file.startsWith(start)))).toEqual([]);
});

/** The server's own files that a file loads, itself included. */
function loadedFrom(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const { imports } = new Bun.Transpiler({ loader: "ts" }).scan(readFileSync(file, "utf8"));
  for (const { path } of imports) {
    const next = join(dirname(file), path);
    if (path.startsWith(".") && existsSync(next)) loadedFrom(next, seen);
  }
  return seen;
}
