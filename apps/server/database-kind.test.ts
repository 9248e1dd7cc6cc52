import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";

const root = join(import.meta.dir, "../..");

/**
 * The files outside packages/store that may depend on the kind of database, and why. Tests through HTTP run on one
 * database only, so a difference anywhere else would not be tested on the other.
 */
const reasons: Readonly<Record<string, string>> = {
  "apps/server/cli/copy.ts": "reads from its options which databases it copies",
  "apps/server/cli/database.ts": "says which database it brings up to date",
  "apps/server/cli/serve.ts": "says which database it uses",
  "apps/server/base/config.ts": "reads from the settings which database it is",
  "apps/server/threads/serve.ts": "names the database in traces",
  "apps/server/features/admin/routes.ts": "shows which database it is",
  "apps/server/features/doctor/database.ts": "explains what is wrong with a database",
  "apps/server/features/doctor/examine.ts": "explains what is wrong with a database",
  "apps/server/features/doctor/machine.ts": "explains what is wrong with a data folder",
  "apps/server/features/identity/sign-in/better-auth.ts": "tells a library how to write SQL that both accept",
  "apps/server/features/traces/request-traces.ts": "names the database in traces",
  "apps/server/features/usage/routes.ts": "estimates the size of rows",
  "apps/web/features/admin/health-page.tsx": "shows which database it is",
  "packages/contract/manage/admin.ts": "shows which database it is",
};

const dependsOnKind = /"(?:sqlite|postgres)"|\bstore\.kind\b|\bdatabase\.kind\b/;

test("nothing outside packages/store depends on the kind of database, except what is listed here", () => {
  const found: string[] = [];
  for (const folder of ["apps/server", "apps/web", "packages/contract", "packages/domain"])
    for (const path of new Glob("**/*.{ts,tsx}").scanSync(join(root, folder))) {
      const isOther = /(?:^|\/)(?:node_modules|dist)\/|\.test\.tsx?$/.test(path);
      if (!isOther && dependsOnKind.test(readFileSync(join(root, folder, path), "utf8")))
        found.push(`${folder}/${path}`);
    }
  expect(found.sort()).toEqual(Object.keys(reasons).sort());
});
