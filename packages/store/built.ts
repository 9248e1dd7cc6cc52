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

/** The folder of the built dashboard, for a file that is two folders below the server's, or in the built server. */
export function dashboardFolder(fileUrl: string): string {
  const path = build === "executable" ? "./apps/web/dist" : "../../web/dist";
  return fileURLToPath(new URL(path, fileUrl));
}
