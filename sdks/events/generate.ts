import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { javaFiles } from "./java.ts";
import { pythonFile } from "./python.ts";
import { readEvents } from "./shapes.ts";
import { typescriptFile } from "./typescript.ts";

/** The SDKs' types of webhook events, by path in the folder of the SDKs. None of these files is in the repository. */
export function generatedFiles(): Readonly<Record<string, string>> {
  const events = readEvents();
  const java = Object.entries(javaFiles(events)).map(([name, text]) => [`${javaFolder}/${name}`, text]);
  return {
    "node/src/webhook-events.ts": typescriptFile(events),
    "python/src/countersign/webhook_events.py": pythonFile(events),
    ...Object.fromEntries(java),
  };
}

const javaFolder = "java/src/main/java/io/countersign/events";
/** The only file of that folder that is written by hand. */
const writtenByHand = "EventMembers.java";

/**
 * Leaves files alone that are up to date, so that nothing is compiled again, and removes the classes of events that the
 * contract no longer has.
 */
export function writeEvents(sdks: string): void {
  const files = generatedFiles();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(sdks, path)), { recursive: true });
    if (textOf(join(sdks, path)) !== text) writeFileSync(join(sdks, path), text);
  }
  for (const name of readdirSync(join(sdks, javaFolder)))
    if (name !== writtenByHand && files[`${javaFolder}/${name}`] === undefined)
      rmSync(join(sdks, javaFolder, name));
}

/** Null if there is no such file. */
function textOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

if (import.meta.main) writeEvents(dirname(import.meta.dir));
