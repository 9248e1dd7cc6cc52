import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { listed } from "../../../tests/support/listed.ts";

const server = join(import.meta.dir, "..");

/** What the validating thread may load: none of it gets slower because of other requests. */
const allowed = listed(`
  base/config.ts base/environment.ts base/log.ts base/operator-problem.ts base/own-ip.ts base/release.ts base/services.ts
  base/worker-thread.ts
  http/answers.ts http/problem.ts http/request.ts http/response.ts
  limits/fair-queue.ts limits/large-responses.ts limits/oldest-first.ts limits/rate-limit.ts limits/tarpit.ts
  threads/file-sender.ts threads/forward.ts threads/listen.ts threads/reports.ts threads/request-sender.ts
  threads/serve.ts threads/messages.ts threads/worker-handle.ts
  features/health/ features/validate/ features/identity/account/setup-link.ts features/products/api-key-use.ts
  features/requests/entries-message.ts features/requests/folded-entries.ts features/requests/recorder.ts
  features/sandbox/batch.ts features/sandbox/product.ts`);

test("the validating thread loads no code of the management API, sign-in, imports, webhooks or jobs", () => {
  const { files } = loadedFrom(join(import.meta.dir, "serve.ts"));
  const loaded = [...files].map((file) => relative(server, file));
  expect(loaded).toContain("features/validate/batch.ts");
  expect(loaded.filter((file) => !allowed.some((start) => file.startsWith(start)))).toEqual([]);
});

test("the validating thread loads only traces later, if they are configured", () => {
  const { later } = loadedFrom(join(import.meta.dir, "serve.ts"));
  expect([...later].map((file) => relative(server, file))).toEqual(["features/traces/request-traces.ts"]);
});

/** The server's own files that a file loads, itself included, and those that it can load later. */
function loadedFrom(file: string, seen = { files: new Set<string>(), later: new Set<string>() }) {
  if (seen.files.has(file)) return seen;
  seen.files.add(file);
  const { imports } = new Bun.Transpiler({ loader: "ts" }).scan(readFileSync(file, "utf8"));
  for (const { path, kind } of imports) {
    const next = join(dirname(file), path);
    if (!path.startsWith(".") || !path.endsWith(".ts") || !existsSync(next)) continue;
    if (kind === "dynamic-import") seen.later.add(next);
    else loadedFrom(next, seen);
  }
  return seen;
}
