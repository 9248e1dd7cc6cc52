import { StorageUnavailable, StoreProblem } from "@countersign/store/errors/problem";
import type { Environment } from "../base/environment.ts";
import { reasonOf } from "../base/log.ts";
import { OperatorProblem } from "../base/operator-problem.ts";
import { release } from "../base/release.ts";
import { similarName } from "../base/similar-name.ts";
import type { Command, DescribedCommand } from "./command.ts";

/**
 * Every command, in the order in which a new user needs them. Each is loaded when it is needed, to start fast; the list
 * of them needs none.
 */
const commands: Readonly<Record<string, Listed>> = {
  serve: {
    summary: "Migrate the database and serve the API, the dashboard, the portal and the documentation.",
    load: async () => (await import("./serve.ts")).serve,
  },
  setup: {
    summary: "Create an organization and a product, and print its API key.",
    load: async () => (await import("./setup.ts")).setup,
  },
  demo: {
    summary: "Load demo data and print a request for every possible outcome.",
    load: async () => (await import("./demo.ts")).demo,
  },
  import: {
    summary: "Import licenses from a file, also from the export of another service.",
    load: async () => (await import("./licenses.ts")).importCommand,
  },
  export: {
    summary: "Export licenses to a CSV or JSON Lines file.",
    load: async () => (await import("./licenses.ts")).exportCommand,
  },
  customer: {
    summary: "Export or erase everything that an organization holds about one customer.",
    load: async () => (await import("./customer.ts")).customer,
  },
  sandbox: {
    summary: "Serve the sandbox alone, for the tests of apps, without a database.",
    load: async () => (await import("./sandbox.ts")).sandbox,
  },
  events: {
    summary: "Forward events to your own machine, or trigger test events.",
    load: async () => (await import("./events.ts")).events,
  },
  "password-link": {
    summary: "Print a link for setting a new password.",
    load: async () => (await import("./password-link.ts")).passwordLink,
  },
  health: {
    summary: "Ask the running server whether it can answer validations.",
    load: async () => (await import("./health.ts")).health,
  },
  doctor: {
    summary: "Check settings, database, clock, disk and proxy, or a URL from outside, and suggest fixes.",
    load: async () => (await import("./doctor.ts")).doctor,
  },
  migrate: {
    summary: "Bring the database up to date without starting the server.",
    load: async () => (await import("./database.ts")).migrate,
  },
  backup: {
    summary: "Back up everything to a new folder while the server runs.",
    load: async () => (await import("./backup.ts")).backup,
  },
  restore: {
    summary: "Replace the database with a backup.",
    load: async () => (await import("./backup.ts")).restore,
  },
  copy: {
    summary: "Move everything to another database, such as from SQLite to PostgreSQL.",
    load: async () => (await import("./copy.ts")).copy,
  },
  "rotate-encryption-key": {
    summary: "Replace the key that secrets are encrypted with, while servers run.",
    load: async () => (await import("./rotate-encryption-key.ts")).rotateEncryptionKey,
  },
  recount: {
    summary: "Recount all licenses and correct the stored counts.",
    load: async () => (await import("./database.ts")).recount,
  },
  notices: {
    summary: "Print the licenses of the software that this server contains.",
    load: async () => (await import("./notices.ts")).notices,
  },
  completion: {
    summary: "Print a script that completes commands and options in your shell.",
    load: async () => (await import("./completion.ts")).completionOf(allCommands),
  },
};

interface Listed {
  /** One line. */
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

export function allCommands(): Promise<DescribedCommand[]> {
  return Promise.all(
    Object.values(commands).map(async ({ summary, load }) => ({ ...(await load()), summary })),
  );
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
  return Object.hasOwn(commands, name) ? ((await commands[name]?.load()) ?? null) : null;
}

/** Prints what a command does, or which ones there are. */
async function help(name: string | undefined): Promise<number> {
  if (name === undefined) {
    process.stdout.write(overview());
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

function overview(): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length));
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return `countersign [command] [options]\n\nWithout a command, it serves.\n\n${lines.join("\n")}\n\nRun countersign <command> --help for details, and countersign --version for the release.\n`;
}
