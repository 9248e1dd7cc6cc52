import { readConfig } from "../base/config.ts";
import { createLog } from "../base/log.ts";
import { OperatorProblem } from "../base/operator-problem.ts";
import { isSameMachine } from "../base/own-ip.ts";
import { parentEnded, stopRequested } from "../base/stop-request.ts";
import { setupLinkMinutes } from "../features/identity/account/setup-link.ts";
import type { RunningServer } from "../threads/serve.ts";
import { type Command, readOptions } from "./command.ts";

const giveUpTimeoutMs = 5_000;

export const serve: Command = {
  name: "serve",
  summary: "Migrate the database and serve the API (this is what npm start does).",
  help: `countersign serve [--parent PID]

Migrates the database and serves. Shuts down cleanly on SIGTERM and Ctrl-C; a second Ctrl-C stops immediately.

  --parent PID   also stop when this parent process exits (set by npm start)

Settings come from the environment:
  PORT                          3000
  HOST                          127.0.0.1; 0.0.0.0 to accept connections from other machines
  COUNTERSIGN_URL               the URL that people and your apps open, if it differs from the above
  COUNTERSIGN_PORTAL_URL        the portal's own host, such as https://portal.example.com
  COUNTERSIGN_DATA              ./data, the directory for SQLite's files
  DATABASE_URL                  postgres://user:password@host:5432/database, to use PostgreSQL 15 to 18 instead
  COUNTERSIGN_TRUSTED_PROXIES   IP addresses of your reverse proxies, such as 127.0.0.1, 10.0.0.0/8
  COUNTERSIGN_DEFAULT_PLAN      free, pro or enterprise; if not set, enterprise (no daily limit), or free with open sign-up
  COUNTERSIGN_SIGN_UP           who can create an account: closed (people who are invited) or open (anyone)
  COUNTERSIGN_DISCORD_CLIENT_ID, COUNTERSIGN_DISCORD_CLIENT_SECRET
                                a Discord application, for signing in with Discord
  COUNTERSIGN_DISCORD_URL       https://discord.com
  COUNTERSIGN_STRIPE_SECRET_KEY, COUNTERSIGN_STRIPE_WEBHOOK_SECRET
                                a Stripe account, to be paid for plans
  COUNTERSIGN_STRIPE_URL        https://api.stripe.com
  COUNTERSIGN_SMTP_URL          smtp://user:password@host:587 or smtps://user:password@host:465, to send emails;
                                without it emails are stored for the platform admin to read
  COUNTERSIGN_MAIL_FROM         the sender of emails, such as Countersign <license@example.com>
  COUNTERSIGN_DAILY_EMAILS      20000, the maximum number of emails a day to the customers of one organization
  COUNTERSIGN_DURABILITY        standard, or strict to wait for the disk before every response
  COUNTERSIGN_ENCRYPTION_KEY    protects the key that secrets are encrypted with
  COUNTERSIGN_LOG_LEVEL         debug, info, warn or error
  COUNTERSIGN_LOG_FORMAT        json, pretty, or auto: pretty on a terminal
  COUNTERSIGN_REQUEST_LOG_DAYS  30, how many days the request log is kept
  COUNTERSIGN_REQUEST_LOG_MB    20480, how much disk space the request log can take
  COUNTERSIGN_AUDIT_LOG_ARCHIVE a folder that old entries of the audit log are written to before they are deleted, or none;
                                without it none are deleted
  COUNTERSIGN_GEOIP_FILE        a GeoIP file (MMDB), for the countries of IP addresses
  COUNTERSIGN_WEBHOOK_ALLOW     private targets that webhooks can reach, such as 127.0.0.1:8080, 10.0.0.0/8:443
  COUNTERSIGN_WEBHOOK_ENDPOINTS 20, the maximum number of webhooks per organization
  COUNTERSIGN_METRICS_TOKEN     the token that /metrics requires; without it, anyone who can reach the port can read it
  COUNTERSIGN_DRAIN_SECONDS     0, how long to keep serving after SIGTERM, with /readyz at 503
  OTEL_EXPORTER_OTLP_ENDPOINT   http://127.0.0.1:4318, an OpenTelemetry collector, to send traces
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS, OTEL_EXPORTER_OTLP_TRACES_HEADERS,
  OTEL_EXPORTER_OTLP_PROTOCOL, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL, OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG,
  OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES, OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER
                                as OpenTelemetry defines them
  LANG                          the language of emails to accounts created on the command line
docs/operating/settings.md describes each. Each can also be read from a file: append _FILE to the name and set it to the path.
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
    log.info(`Countersign is ready at ${url}`, { database: config.database.kind, port: server.port });
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
