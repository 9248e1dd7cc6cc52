import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Fault } from "./faults-in.ts";

export const root = join(import.meta.dir, "../..");

/** Every file that a commit of the current state would have. */
export function trackedFiles(): string[] {
  const words = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
  const listed = execFileSync("git", words, { cwd: root, encoding: "utf8", maxBuffer: 64 << 20 });
  return listed.split("\0").filter((path) => path !== "");
}

const isSource = /^(?:apps|packages|sdks)\/.*\.(?:tsx?|m[jt]s|json|py|java|css)$/;
const isTest = /\.(?:test|suite)\.|\/tests?\/|packages\/store\/suite\/|package-lock\.json$/;

/** The text of every source file that is not a test, by path. */
export function sourceTexts(): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const path of trackedFiles()) {
    if (!isSource.test(path) || isTest.test(path)) continue;
    try {
      texts.set(path, readFileSync(join(root, path), "utf8"));
    } catch {
      // A file that was removed and not committed yet is still listed.
    }
  }
  return texts;
}

/** The paths of the sources in which the text of a fault occurs, once for each occurrence. */
export function placesOf({ find }: Pick<Fault, "find">, texts: ReadonlyMap<string, string>): string[] {
  const places: string[] = [];
  for (const [path, text] of texts)
    for (let at = text.indexOf(find); at !== -1; at = text.indexOf(find, at + 1)) places.push(path);
  return places;
}
