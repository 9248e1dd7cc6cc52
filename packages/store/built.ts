/** Whether this runs from the output of `apps/server/build.ts` rather than from the sources. */
const isBuilt = import.meta.url.endsWith(".js");

/** The path of a thread's code: a source file next to its caller, or its own file in a built server. */
export function threadFile(name: string, starterUrl: string): URL {
  return new URL(isBuilt ? `./${name}.js` : `./${name}.ts`, starterUrl);
}
