import { join } from "node:path";
import type { BuildConfig, BunPlugin } from "bun";
import { noticesText } from "../../scripts/notices.ts";

export const root = join(import.meta.dirname, "../..");

/** The library has its messages in 60 languages. Only the English ones are used, and the others take time to load. */
const englishMessages: BunPlugin = {
  name: "english-messages",
  setup(build) {
    build.onLoad({ filter: /\/zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
      loader: "js",
    }));
  },
};

/** The files that run in threads and processes of their own. */
const threads = [
  "apps/server/threads/management-worker.ts",
  "apps/server/features/requests/journal-thread.ts",
  "packages/store/sqlite/integrity-process.ts",
];

/** How the server is bundled, starting with this file. `kind` is what `packages/store/built.ts` calls it. */
export function serverBuild(kind: "folder" | "executable", start: string) {
  return {
    entrypoints: [start, ...threads].map((path) => join(root, path)),
    naming: { entry: "[name].[ext]", chunk: "[name]-[hash].[ext]", asset: "[dir]/[name].[ext]" },
    target: "bun",
    splitting: true,
    sourcemap: "linked",
    // Less to parse at every start. Names are kept because the log shows the names of errors.
    minify: { whitespace: true, syntax: true, identifiers: true, keepNames: true },
    define: { COUNTERSIGN_BUILD: JSON.stringify(kind), COUNTERSIGN_NOTICES: JSON.stringify(noticesText()) },
    plugins: [englishMessages],
  } satisfies Partial<BuildConfig>;
}
