import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Migration } from "@countersign/store/migrations/migration";
import type { BunPlugin } from "bun";
import { release } from "../../apps/server/base/release.ts";
import { serverBuild } from "../../apps/server/build-options.ts";

const [major = 0, minor = 0] = release.split(".").map(Number);
/** A release after this one, which does not exist. */
export const nextRelease = `${major}.${minor + 1}.0`;

/** What it adds, and then removes. */
export const nextMigrations: readonly Migration[] = [
  {
    name: "9000-next",
    phase: "expand",
    oldestRelease: release,
    statements: [
      // Of tables that validations, sign-in, jobs and lists read.
      ...["organizations", "products", "product_api_keys", "licenses", "users", "sessions", "job_runs"].map(
        (table) => `alter table ${table} add column next_text text`,
      ),
      "alter table licenses add column next_number bigint not null default 7",
      "alter table license_ips add column next_text text default 'a'",
      "create table next_things (id text primary key, license_id text references licenses (id))",
      "create index licenses_by_next on licenses (next_number)",
    ],
  },
  {
    name: "9001-next-removal",
    phase: "contract",
    oldestRelease: nextRelease,
    statements: ["drop table next_things"],
  },
];

/**
 * Builds a server of a later release into a folder, and returns its main file. Only the build knows the migrations: the
 * sources have no hook for them.
 */
export async function buildNextRelease(folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const options = serverBuild("folder", "apps/server/main.ts");
  await Bun.build({
    ...options,
    // Nobody reads its errors.
    sourcemap: "none",
    plugins: [...options.plugins, nextSources],
    outdir: folder,
  });
  return join(folder, "main.js");
}

const nextSources: BunPlugin = {
  name: "next-release",
  setup(build) {
    build.onLoad({ filter: /packages\/store\/migrations\/all\.ts$/ }, async ({ path }) => {
      const text = await Bun.file(path).text();
      const end = /^\];$/m;
      if (!end.test(text)) throw new Error("The list of migrations is written differently.");
      const added = `  ...${JSON.stringify(nextMigrations)},\n];`;
      return { contents: text.replace(end, () => added), loader: "ts" };
    });
    build.onLoad({ filter: /(?:packages\/store|apps\/server)\/package\.json$/ }, async ({ path }) => ({
      contents: JSON.stringify({ ...(await Bun.file(path).json()), version: nextRelease }),
      loader: "json",
    }));
  },
};
