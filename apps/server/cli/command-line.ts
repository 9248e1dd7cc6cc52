import { StorageUnavailable, StoreProblem } from "@countersign/store/problem";
import type { Environment } from "../config.ts";
import { reasonOf } from "../log.ts";
import { OperatorProblem } from "../problem.ts";
import { backup } from "./backup.ts";
import type { Command } from "./command.ts";
import { demo } from "./demo.ts";
import { doctor } from "./doctor.ts";
import { events } from "./events.ts";
import { exportCommand } from "./export.ts";
import { importCommand } from "./import.ts";
import { migrate } from "./migrate.ts";
import { passwordLink } from "./password-link.ts";
import { recount } from "./recount.ts";
import { restore } from "./restore.ts";
import { serve } from "./serve.ts";
import { setup } from "./setup.ts";

/** Every command, in the order in which a new user needs them. */
export const commands: readonly Command[] = [
  serve,
  setup,
  demo,
  importCommand,
  exportCommand,
  events,
  passwordLink,
  doctor,
  migrate,
  backup,
  restore,
  recount,
];

/** Runs the command and returns the exit code. */
export async function runCommand(words: readonly string[], environment: Environment): Promise<number> {
  const [name = "serve", ...rest] = words;
  if (name === "--help" || name === "-h" || name === "help") {
    process.stdout.write(overview());
    return 0;
  }
  const command = commands.find((candidate) => candidate.name === name);
  if (command === undefined) {
    process.stderr.write(`There is no command "${name}". Run countersign --help for a list.\n`);
    return 1;
  }
  if (rest.includes("--help") || rest.includes("-h")) {
    process.stdout.write(command.help);
    return 0;
  }
  try {
    return await command.run(rest, environment);
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`);
    return 1;
  }
}

/** A sentence for a problem that the operator can fix; the whole stack for a bug, because it has to be reported. */
function explain(error: unknown): string {
  if (error instanceof OperatorProblem || error instanceof StoreProblem) return error.message;
  if (error instanceof StorageUnavailable) return reasonOf(error);
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function overview(): string {
  const width = Math.max(...commands.map((command) => command.name.length));
  const lines = commands.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`);
  return `countersign <command> [options]\n\n${lines.join("\n")}\n\nRun countersign <command> --help for details.\n`;
}
