import { type SpawnSyncOptions, spawnSync } from "node:child_process";

/** A check that cannot run here. The message says what it needs. */
export class Missing extends Error {}

/** Runs checks one after the other, prints a line for each, and returns the exit code: with CI=true, all have to run. */
export async function runChecks(checks: Readonly<Record<string, () => unknown>>): Promise<number> {
  const wanted = process.argv.slice(2);
  let failed = 0;
  let missing = 0;
  for (const [name, check] of Object.entries(checks)) {
    if (wanted.length > 0 && !wanted.some((word) => name.includes(word))) continue;
    const startMs = Date.now();
    try {
      await check();
      process.stdout.write(`passed    ${name} (${((Date.now() - startMs) / 1000).toFixed(1)} s)\n`);
    } catch (error) {
      if (error instanceof Missing) missing++;
      else failed++;
      const [word, text] =
        error instanceof Missing ? ["SKIPPED", error.message] : ["FAILED ", Bun.inspect(error)];
      process.stdout.write(`${word}   ${name}: ${text}\n`);
    }
  }
  return failed > 0 || (missing > 0 && process.env.CI === "true") ? 1 : 0;
}

/** Runs a program to its end. If it fails, throws what it has printed. */
export function run(program: string, words: readonly string[], options: SpawnSyncOptions = {}): string {
  const { status, stdout, stderr, error } = tried(program, words, options);
  if (error !== undefined) throw new Missing(`it needs ${program}: ${error.message}`);
  if (status !== 0) throw new Error(`${program} ${words.join(" ")} failed:\n${stdout}${stderr}`);
  return stdout;
}

/** Runs a program that should refuse, and returns what it has printed. */
export function refused(program: string, words: readonly string[], options: SpawnSyncOptions = {}): string {
  const { status, stdout, stderr } = tried(program, words, options);
  if (status === 0) throw new Error(`${program} ${words.join(" ")} should have failed:\n${stdout}`);
  return stdout + stderr;
}

function tried(program: string, words: readonly string[], options: SpawnSyncOptions) {
  return spawnSync(program, words, { maxBuffer: 100_000_000, ...options, encoding: "utf8" });
}
