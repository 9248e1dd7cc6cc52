interface Setting {
  readonly name: string;
  /** What holds if it is not set; null if that is nothing, or described. */
  readonly default: string | null;
  /** One phrase, in the help of `serve` and in the manual. */
  readonly summary: string;
  /** What only the manual says, in Markdown, with links from docs/operating. */
  readonly more?: string;
}

/** What people read about each setting: `serve --help` and docs/operating/settings.md are made from it. */
export const settings: readonly Setting[] = [
  { name: "PORT", default: "3000", summary: "the port to listen on" },
  {
    name: "HOST",
    default: "127.0.0.1",
    summary: "the IP address to listen on; 0.0.0.0 to accept connections from other machines",
  },
  {
    name: "COUNTERSIGN_URL",
    default: null,
    summary: "the URL that people and your apps open, such as https://license.example.com",
    more: "Without it, `HOST=0.0.0.0` or `::` stands for an IP address of this machine: `http://192.168.1.5:3000`, or in a container for `localhost`",
  },
  {
    name: "COUNTERSIGN_PORTAL_URL",
    default: null,
    summary: "the portal's own host, such as https://portal.example.com",
    more: "Set it if customers should not use the host of the dashboard, where the portal is at `/portal`: [the customer portal](portal.md)",
  },
  { name: "COUNTERSIGN_DATA", default: "./data", summary: "the directory for SQLite's files" },
  {
    name: "DATABASE_URL",
    default: null,
    summary: "postgres://user:password@host:5432/database, to use PostgreSQL 15 to 18 instead",
    more: "Several hosts can be named for [failover](postgresql.md#failover)",
  },
  {
    name: "COUNTERSIGN_TRUSTED_PROXIES",
    default: null,
    summary: "IP addresses or CIDRs of your reverse proxies, such as 127.0.0.1, 10.0.0.0/8",
    more: "IP limits depend on it: [behind a reverse proxy](proxies.md)",
  },
  {
    name: "COUNTERSIGN_DEFAULT_PLAN",
    default: null,
    summary: "the plan of new organizations: free, pro or enterprise",
    more: "If it is not set, the plan that the platform admin chose, else `enterprise`, which has no daily limit, or `free` while anyone can sign up",
  },
  {
    name: "COUNTERSIGN_SIGN_UP",
    default: "closed",
    summary: "who can create an account: closed (people who are invited) or open (anyone)",
    more: "Platform admins can add people too. The daily limit is one per product: before you open sign-up, give the default plan a limit of products (`/admin/plans`). `doctor` and the platform's overview say so until it has one",
  },
  {
    name: "COUNTERSIGN_DISCORD_CLIENT_ID",
    default: null,
    summary: "the ID of a Discord application, for signing in with Discord",
    more: "Its redirect URLs are `<COUNTERSIGN_URL>/api/auth/callback/discord` and, for customers, `<COUNTERSIGN_URL>/api/portal/v1/sign-in/discord/callback`, or the same path on the portal's own host",
  },
  { name: "COUNTERSIGN_DISCORD_CLIENT_SECRET", default: null, summary: "the secret of that application" },
  { name: "COUNTERSIGN_DISCORD_URL", default: "https://discord.com", summary: "the base URL of Discord" },
  {
    name: "COUNTERSIGN_STRIPE_SECRET_KEY",
    default: null,
    summary: "the secret key of a Stripe account, to be paid for plans",
    more: "See [payments](payments.md)",
  },
  {
    name: "COUNTERSIGN_STRIPE_WEBHOOK_SECRET",
    default: null,
    summary: "the signing secret of the webhook in that account",
  },
  {
    name: "COUNTERSIGN_STRIPE_URL",
    default: "https://api.stripe.com",
    summary: "the base URL of Stripe",
    more: "Another one is for tests with stripe-mock",
  },
  {
    name: "COUNTERSIGN_SMTP_URL",
    default: null,
    summary: "smtp://user:password@host:587 or smtps://user:password@host:465, to send emails",
    more: "Without it, emails are stored for the platform admin to read: [email](email.md)",
  },
  {
    name: "COUNTERSIGN_MAIL_FROM",
    default: null,
    summary: "the sender of emails, such as Countersign <license@example.com>",
  },
  {
    name: "COUNTERSIGN_DAILY_EMAILS",
    default: "20000",
    summary: "the maximum number of emails a day to the customers of one organization",
    more: "It holds for all organizations of one owner together too. `500` if sign-up is `open`",
  },
  {
    name: "COUNTERSIGN_DURABILITY",
    default: "standard",
    summary: "standard, or strict to wait for the disk before every response (SQLite)",
  },
  {
    name: "COUNTERSIGN_ENCRYPTION_KEY",
    default: null,
    summary: "protects the key that secrets, waiting emails and webhook URLs are encrypted with",
    more: "Once set, it is required at every start. Use 32 random bytes, such as from `openssl rand -base64 32`; a passphrase of 16 characters or more is stretched, which adds a tenth of a second to the start: [secrets at rest](secrets.md)",
  },
  { name: "COUNTERSIGN_LOG_LEVEL", default: "info", summary: "debug, info, warn or error" },
  {
    name: "COUNTERSIGN_LOG_FORMAT",
    default: "auto",
    summary: "json, pretty, or auto: pretty on a terminal",
    more: "JSON is one line for each entry",
  },
  {
    name: "COUNTERSIGN_REQUEST_LOG_DAYS",
    default: "30",
    summary: "how many days the request log is kept",
    more: "The counts of refused validations are kept as long. A plan or an organization can have its own number of days for the log",
  },
  {
    name: "COUNTERSIGN_REQUEST_LOG_MB",
    default: "20480",
    summary: "how many megabytes the request log can take on disk",
    more: "If it takes more, the organizations with the most requests lose their oldest ones earlier, and the server log names them",
  },
  {
    name: "COUNTERSIGN_AUDIT_LOG_ARCHIVE",
    default: null,
    summary: "a folder that old entries of the audit log are written to before they are deleted, or none",
    more: "`none` deletes them without an archive. While it is not set, nothing is deleted: [retention of the audit log](audit-log.md)",
  },
  {
    name: "COUNTERSIGN_GEOIP_FILE",
    default: null,
    summary: "a GeoIP file (MMDB), for the countries of IP addresses",
    more: "With one such as GeoLite2 or DB-IP Lite, analytics count requests by country, and with a file of cities find licenses that change place impossibly fast; it can be replaced while the server runs; if it is missing or damaged, the server log says so once, what was read before stays in use, and it is tried again every minute; it is loaded twice, once for counting and once for analytics",
  },
  {
    name: "COUNTERSIGN_WEBHOOK_ALLOW",
    default: null,
    summary: "private targets that webhooks can reach, such as 127.0.0.1:8080, 10.0.0.0/8:443",
    more: "They are CIDRs and host names, separated by commas, each with an optional port: `127.0.0.1:8080, [::1]:9000, 10.0.0.0/8:443, hooks.internal`",
  },
  {
    name: "COUNTERSIGN_WEBHOOK_ENDPOINTS",
    default: "20",
    summary: "the maximum number of webhooks per organization",
  },
  {
    name: "COUNTERSIGN_METRICS_TOKEN",
    default: null,
    summary: "the token that /metrics requires; without it, anyone who can reach the port can read it",
    more: "It has 16 characters or more",
  },
  {
    name: "COUNTERSIGN_DRAIN_SECONDS",
    default: "0",
    summary: "how long to keep serving after SIGTERM, with /readyz at 503",
    more: "Up to 300. Behind a load balancer, a few seconds more than it takes to notice: [stopping](upgrading.md)",
  },
  {
    name: "OTEL_EXPORTER_OTLP_ENDPOINT",
    default: null,
    summary:
      "where traces are sent: the base URL of an OpenTelemetry collector, such as http://127.0.0.1:4318",
    more: "See [traces](traces.md)",
  },
  {
    name: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    default: null,
    summary: "the complete URL for traces, instead of the base URL",
  },
  {
    name: "OTEL_EXPORTER_OTLP_HEADERS",
    default: null,
    summary: "headers that the collector requires, as name=value,name=value",
    more: "Special characters are percent-encoded",
  },
  { name: "OTEL_EXPORTER_OTLP_TRACES_HEADERS", default: null, summary: "further headers, for traces alone" },
  { name: "OTEL_EXPORTER_OTLP_PROTOCOL", default: "http/protobuf", summary: "http/protobuf or http/json" },
  { name: "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", default: null, summary: "the same, for traces alone" },
  {
    name: "OTEL_TRACES_SAMPLER",
    default: "parentbased_always_on",
    summary:
      "which requests are traced: always_on, always_off, traceidratio, or one of these with parentbased_",
    more: "With `parentbased_`, callers that send `traceparent` decide",
  },
  { name: "OTEL_TRACES_SAMPLER_ARG", default: "1", summary: "the share from 0 to 1 for traceidratio" },
  { name: "OTEL_SERVICE_NAME", default: "countersign", summary: "the name of this service in traces" },
  {
    name: "OTEL_RESOURCE_ATTRIBUTES",
    default: null,
    summary: "further attributes of traces, as name=value,name=value",
  },
  { name: "OTEL_SDK_DISABLED", default: null, summary: "true switches traces off, whatever else is set" },
  { name: "OTEL_TRACES_EXPORTER", default: null, summary: "none does the same" },
  {
    name: "LANG",
    default: null,
    summary: "the language of emails to accounts created on the command line: de, es, or English",
    more: "`LC_ALL` and `LC_MESSAGES` come first",
  },
];

const nameWidth = 36;
const lineWidth = 118;

/** For a terminal: names on the left, what they do on the right. */
export function settingsHelp(): string {
  return settings.map(helpOf).join("\n");
}

function helpOf({ name, default: value, summary }: Setting): string {
  const text = value === null || summary.startsWith(value) ? summary : `${value}; ${summary}`;
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines.at(-1) ?? "";
    if (last !== "" && nameWidth + 2 + last.length + 1 + word.length > lineWidth) lines.push(word);
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`;
  }
  const [first, ...others] = lines;
  const rest = others.map((line) => `\n  ${" ".repeat(nameWidth)}${line}`).join("");
  return `  ${name.padEnd(nameWidth)}${first}${rest}`;
}
