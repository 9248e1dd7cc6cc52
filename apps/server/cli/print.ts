import type { LockWait } from "@countersign/store/migrations/migration";

/** One JSON value on one line, as programs expect of `--json`. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

export function printLines(lines: readonly string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}

/** On the error output, because a command may print JSON. */
export function printMigrationWait({ migration, heldBy, retryMs }: LockWait): void {
  const holders = heldBy.length === 0 ? "another session" : heldBy.join("; ");
  process.stderr.write(
    `Migration ${migration} waits for a lock that is held by ${holders}. It is tried again in ${retryMs / 1_000} seconds.\n`,
  );
}
