// @ts-expect-error: from build-executable.ts
import "countersign:built-files";

/**
 * The executable's start: its commands, and, under its own name, the one part that runs in a process of its own
 * (`processArguments` in `packages/store/built.ts`).
 */
if (process.argv[2] === "integrity-process") {
  process.argv.splice(2, 1);
  await import("@countersign/store/sqlite/integrity-process");
} else {
  await import("./main.ts");
}
