import { readConfig } from "../base/config.ts";
import { createLog } from "../base/log.ts";
import { OperatorProblem } from "../base/operator-problem.ts";
import { isSameMachine } from "../base/own-ip.ts";
import { settingsHelp } from "../base/settings.ts";
import { parentEnded, stopRequested } from "../base/stop-request.ts";
import { setupLinkMinutes } from "../features/identity/account/setup-link.ts";
import type { RunningServer } from "../threads/serve.ts";
import { type Command, readOptions } from "./command.ts";

const giveUpTimeoutMs = 5_000;

export const serve: Command = {
  name: "serve",
  help: `countersign serve [--parent PID]

Migrates the database and serves: the API, the dashboard, the portal and the documentation. The same happens without a
command, and with npm start. No setting is needed. Shuts down cleanly on SIGTERM and Ctrl-C; a second Ctrl-C stops
immediately.

  --parent PID   also stop when this parent process exits (set by npm start)

Settings are environment variables, such as PORT=8080 before the command:
${settingsHelp()}
The server's page /docs/operating/settings describes each. Each can also be read from a file: append _FILE to the name
and set it to the path.
`,
  async run(args, environment) {
    const { values } = readOptions("serve", args, { parent: { type: "string" } });
    const parent = parentOf(values.parent);
    const config = readConfig(environment);
    const pretty =
      config.logFormat === "pretty" || (config.logFormat === "auto" && process.stdout.isTTY === true);
    const log = createLog({
      level: config.logLevel,
      pretty,
      now: Date.now,
      write: (line) => process.stdout.write(line),
    });
    const stop = Promise.race([stopRequested(), ...(parent === null ? [] : [parentEnded(parent)])]);
    // Loaded only here: the other commands need little of it and should start fast.
    const { startServer } = await import("../threads/serve.ts");
    const starting = startServer(config, environment, log);
    const server = await Promise.race([starting, stop.then(() => null)]);
    if (server === null) {
      log.info("Stopping before the server was ready.", { reason: await stop });
      await giveUp(starting);
      log.info("Stopped.");
      return 0;
    }
    const url = config.url.replace(/:0$/, `:${server.port}`);
    log.info(`Countersign is ready at ${url}`, {
      database: config.database.kind,
      data: config.database.kind === "sqlite" ? config.dataFolder : undefined,
      port: server.port,
    });
    for (const name of config.unknownNames)
      log.warn(`${name} is not a setting of Countersign and has no effect.`);
    if (!config.urlIsSet && !isSameMachine(config.host))
      log.warn(
        `People can sign in only at ${url}. Set COUNTERSIGN_URL to the URL that they open, if it is another one.`,
      );
    if (server.setupToken !== null) {
      log.info(
        `There is no account yet. Create the first one within ${setupLinkMinutes} minutes at ${url}/setup?token=${server.setupToken}`,
      );
    }
    log.info("Stopping: finishing accepted requests.", { reason: await stop });
    if (await server.stop()) {
      log.info("Stopped.");
      return 0;
    }
    log.warn("Stopped without waiting any longer: the database does not respond.");
    // Database connections, and the threads that wait for them, would keep the process alive.
    process.exit(0);
  },
};

function parentOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw new OperatorProblem(`--parent is "${text}". It must be a process ID.`);
}

/**
 * Aborts a start in progress: stops the server if it still comes up, and otherwise exits. This loses nothing, because
 * migrations are atomic and no request was accepted.
 */
async function giveUp(starting: Promise<RunningServer>): Promise<void> {
  const overdue = setTimeout(() => process.exit(0), giveUpTimeoutMs);
  const server = await starting.catch(() => null);
  await server?.stop();
  clearTimeout(overdue);
}
