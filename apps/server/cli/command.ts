import { parseArgs } from "node:util";
import type { LockWait, PostponedMigration } from "@countersign/store/migrations/migration";
import type { Environment } from "../base/environment.ts";
import { OperatorProblem } from "../base/operator-problem.ts";

export interface Command {
  readonly name: string;
  readonly help: string;
  /** Returns the exit code. Throws an `OperatorProblem` for problems that the operator can fix. */
  run(args: readonly string[], environment: Environment): Promise<number>;
}

/** With its line in the list of commands. */
export interface DescribedCommand extends Command {
  readonly summary: string;
}

type Options = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>["options"]>;

/** Parses a command's options. An unknown option results in a sentence, not a stack trace. */
export function readOptions<const T extends Options>(
  command: string,
  args: readonly string[],
  options: T,
  allowPositionals = false,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals, strict: true });
  } catch (cause) {
    const reason = cause instanceof Error ? (cause.message.split(". ")[0] ?? "") : String(cause);
    throw new OperatorProblem(`${reason}. Run countersign ${command} --help for the options.`, { cause });
  }
}

/** The single positional argument of a command. */
export function onePositional(command: string, positionals: readonly string[], meaning: string): string {
  const [positional, ...more] = positionals;
  if (positional !== undefined && positional !== "" && more.length === 0) return positional;
  throw new OperatorProblem(
    `Specify ${meaning}, and nothing else. Run countersign ${command} --help for the options.`,
  );
}

export function required(command: string, name: string, value: string | undefined): string {
  if (value !== undefined && value !== "") return value;
  throw new OperatorProblem(`--${name} is missing. Run countersign ${command} --help for the options.`);
}

export function oneOf<T extends string>(name: string, value: string, allowed: readonly T[]): T {
  const choice = allowed.find((candidate) => candidate === value);
  if (choice !== undefined) return choice;
  throw new OperatorProblem(`--${name} is "${value}". It must be one of: ${allowed.join(", ")}.`);
}

/** One JSON value on one line, as programs expect of `--json`. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

export function printLines(lines: readonly string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}

/** What a command says while it migrates. On the error output, because a command may print JSON. */
export const migrationMessages = {
  migrationWaits: ({ migration, heldBy, retryMs }: LockWait) => {
    const holders = heldBy.length === 0 ? "another session" : heldBy.join("; ");
    printError(
      `Migration ${migration} waits for a lock that is held by ${holders}. It is tried again in ${retryMs / 1_000} seconds.`,
    );
  },
  migrationPostponed: ({ migration, reason }: PostponedMigration) =>
    printError(`Migration ${migration} removes what older servers use, and was left for later: ${reason}.`),
  backedUp: (folder: string) => printError(`The database was backed up before its migration: ${folder}`),
};

function printError(line: string): void {
  process.stderr.write(`${line}\n`);
}
