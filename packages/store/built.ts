import { fileURLToPath } from "node:url";

declare const COUNTERSIGN_BUILD: "folder" | "executable";

/** Set by the build: `folder` by `apps/server/build.ts`, `executable` by `apps/server/build-executable.ts`. */
const build = typeof COUNTERSIGN_BUILD === "undefined" ? "sources" : COUNTERSIGN_BUILD;

/** The path of a thread's code: a source file next to its caller, or its own file in a built server. */
export function threadFile(name: string, starterUrl: string): URL {
  return new URL(build === "sources" ? `./${name}.ts` : `./${name}.js`, starterUrl);
}

/** The arguments with which the runtime runs a file in a process of its own. The executable takes its name. */
export function processArguments(name: string, starterUrl: string): readonly string[] {
  return build === "executable" ? [name] : [fileURLToPath(threadFile(name, starterUrl))];
}

/** What the server serves and has not written itself, by the folder that its build writes. */
const builtParts = { dashboard: "apps/web/dist", docs: "docs/.vitepress/dist" } as const;

/** The folder of a built part, for a file that is two folders below the server's, or in the built server. */
export function builtFolder(part: keyof typeof builtParts, fileUrl: string): string {
  const root = build === "executable" ? "./" : build === "folder" ? "../../../" : "../../../";
  return fileURLToPath(new URL(root + builtParts[part], fileUrl));
}
