import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { javaFiles } from "./java.ts";
import { pythonFile } from "./python.ts";
import { readEvents } from "./shapes.ts";
import { typescriptFile } from "./typescript.ts";

/** Writes the SDKs' types of webhook events: `node scripts/run.mjs sdks/events/generate.ts`. */
export function generatedFiles(): Readonly<Record<string, string>> {
  const events = readEvents();
  const java = Object.entries(javaFiles(events)).map(([name, text]) => [
    `java/src/main/java/io/countersign/events/${name}`,
    text,
  ]);
  return {
    "node/src/webhook-events.ts": typescriptFile(events),
    "python/src/countersign/webhook_events.py": pythonFile(events),
    ...Object.fromEntries(java),
  };
}

export const sdks = dirname(import.meta.dir);

if (import.meta.main) {
  for (const [path, text] of Object.entries(generatedFiles())) {
    mkdirSync(dirname(join(sdks, path)), { recursive: true });
    writeFileSync(join(sdks, path), text);
  }
}
