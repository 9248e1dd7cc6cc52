/** Whether this runs from what `apps/server/build.ts` made, and not from the sources. */
export const isBuilt = import.meta.url.endsWith(".js");

/**
 * Where the code of a thread lies: as a source beside whoever starts it, or in a built server as a file of its own
 * beside all the others.
 */
export function threadFile(name: string, starterUrl: string): URL {
  return new URL(isBuilt ? `./${name}.js` : `./${name}.ts`, starterUrl);
}
