import { StorageUnavailable, StoreProblem } from "@countersign/store/errors/problem";
import type { Environment } from "../base/environment.ts";
import { reasonOf } from "../base/log.ts";
import { OperatorProblem } from "../base/operator-problem.ts";
import { release } from "../base/release.ts";
import { similarName } from "../base/similar-name.ts";
import type { Command } from "./command.ts";

/** Every command, in the order in which a new user needs them. Each is loaded when it is needed, to start fast. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import("./serve.ts")).serve,
  setup: async () => (await import("./setup.ts")).setup,
  demo: async () => (await import("./demo.ts")).demo,
  import: async () => (await import("./licenses.ts")).importCommand,
  export: async () => (await import("./licenses.ts")).exportCommand,
  customer: async () => (await import("./customer.ts")).customer,
  sandbox: async () => (await import("./sandbox.ts")).sandbox,
  events: async () => (await import("./events.ts")).events,
  "password-link": async () => (await import("./password-link.ts")).passwordLink,
  health: async () => (await import("./health.ts")).health,
  doctor: async () => (await import("./doctor.ts")).doctor,
  migrate: async () => (await import("./database.ts")).migrate,
  backup: async () => (await import("./backup.ts")).backup,
  restore: async () => (await import("./backup.ts")).restore,
  copy: async () => (await import("./copy.ts")).copy,
  "rotate-encryption-key": async () => (await import("./rotate-encryption-key.ts")).rotateEncryptionKey,
  recount: async () => (await import("./database.ts")).recount,
  notices: async () => (await import("./notices.ts")).notices,
  completion: async () => (await import("./completion.ts")).completionOf(allCommands),
};

export function allCommands(): Promise<Command[]> {
  return Promise.all(Object.values(commands).map((load) => load()));
}

/** Runs the command and returns the exit code. */
export async function runCommand(args: readonly string[], environment: Environment): Promise<number> {
  const [name = "serve", ...rest] = args;
  if (name === "--help" || name === "-h" || name === "help") return help(rest[0]);
  if (name === "--version" || name === "-v" || name === "version") {
    process.stdout.write(`countersign ${release}\n`);
    return 0;
  }
  if (rest.includes("--help") || rest.includes("-h")) return help(name);
  const command = await commandNamed(name);
  if (command === null) return refuse(name);
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

async function commandNamed(name: string): Promise<Command | null> {
  return Object.hasOwn(commands, name) ? ((await commands[name]?.()) ?? null) : null;
}

/** Prints what a command does, or which ones there are. */
async function help(name: string | undefined): Promise<number> {
  if (name === undefined) {
    process.stdout.write(overview(await allCommands()));
    return 0;
  }
  const command = await commandNamed(name);
  if (command === null) return refuse(name);
  process.stdout.write(command.help);
  return 0;
}

/** Most programs have options for what is a setting here, such as the port. */
function refuse(name: string): number {
  const similar = similarName(name, Object.keys(commands));
  const meant = similar === null ? "" : ` Did you mean countersign ${similar}?`;
  process.stderr.write(
    name.startsWith("-")
      ? `${name} is not an option of countersign. Settings are environment variables, such as PORT: countersign serve --help lists them.\n`
      : `There is no command "${name}".${meant} Run countersign --help for a list.\n`,
  );
  return 1;
}

function overview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map((command) => command.name.length));
  const lines = commands.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`);
  return `countersign [command] [options]\n\nWithout a command, it serves.\n\n${lines.join("\n")}\n\nRun countersign <command> --help for details, and countersign --version for the release.\n`;
}
