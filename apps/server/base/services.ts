import { ConfigProblem, type Settings } from "./environment.ts";

export interface StripeSettings {
  readonly secretKey: string;
  /** Verifies events. */
  readonly webhookSecret: string;
  /** The base URL of Stripe's API: a different one in tests. */
  readonly url: string;
  readonly mode: "test" | "live";
}

export interface DiscordSettings {
  readonly clientId: string;
  readonly clientSecret: string;
  /** The base URL of Discord: a different one in tests, or for a compatible service. */
  readonly url: string;
}

export interface MailSettings {
  readonly host: string;
  readonly port: number;
  /** `direct` from the first byte on; otherwise through STARTTLS, which is required, used if offered, or not used. */
  readonly tls: "direct" | "required" | "offered" | "off";
  readonly checksCertificate: boolean;
  readonly user: string | null;
  readonly password: string | null;
  readonly from: string;
}

/** Null if payments are not set up. */
export function readStripe(settings: Settings): StripeSettings | null {
  const secretKey = settings.text("COUNTERSIGN_STRIPE_SECRET_KEY");
  const webhookSecret = settings.text("COUNTERSIGN_STRIPE_WEBHOOK_SECRET");
  const url = settings.text("COUNTERSIGN_STRIPE_URL") ?? "https://api.stripe.com";
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || `${parsed.origin}/` !== parsed.href)
    throw new ConfigProblem(
      `COUNTERSIGN_STRIPE_URL is "${url}". It must be a URL without a path, such as https://api.stripe.com.`,
    );
  if (secretKey === null && webhookSecret === null) return null;
  if (secretKey === null || webhookSecret === null)
    throw new ConfigProblem(
      "Set COUNTERSIGN_STRIPE_SECRET_KEY and COUNTERSIGN_STRIPE_WEBHOOK_SECRET together, or neither.",
    );
  const mode = /^(?:sk|rk)_(test|live)_[!-~]+$/.exec(secretKey)?.[1];
  if (mode !== "test" && mode !== "live")
    throw new ConfigProblem(
      "COUNTERSIGN_STRIPE_SECRET_KEY is not a secret key of Stripe. It must start with sk_live_ or sk_test_, or rk_ for a restricted key.",
    );
  if (!/^[!-~]{8,}$/.test(webhookSecret))
    throw new ConfigProblem(
      "COUNTERSIGN_STRIPE_WEBHOOK_SECRET is not the signing secret of a webhook endpoint in Stripe, which looks like whsec_…",
    );
  return { secretKey, webhookSecret, url: parsed.origin, mode };
}

/** Null if signing in with Discord is not set up. */
export function readDiscord(settings: Settings): DiscordSettings | null {
  const clientId = settings.text("COUNTERSIGN_DISCORD_CLIENT_ID");
  const clientSecret = settings.text("COUNTERSIGN_DISCORD_CLIENT_SECRET");
  const url = settings.text("COUNTERSIGN_DISCORD_URL") ?? "https://discord.com";
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new ConfigProblem(
      `COUNTERSIGN_DISCORD_URL is "${url}". It must be a URL, such as https://discord.com.`,
    );
  }
  if (clientId === null && clientSecret === null) return null;
  if (clientId === null || clientSecret === null) {
    throw new ConfigProblem(
      "Set COUNTERSIGN_DISCORD_CLIENT_ID and COUNTERSIGN_DISCORD_CLIENT_SECRET together, or neither.",
    );
  }
  return { clientId, clientSecret, url: url.replace(/\/+$/, "") };
}

/** Null without a mail server. */
export function readMail(settings: Settings): MailSettings | null {
  const smtpUrl = settings.text("COUNTERSIGN_SMTP_URL");
  const from = settings.text("COUNTERSIGN_MAIL_FROM");
  if (from !== null && !/^(?:[^<>\r\n]*<[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/.test(from)) {
    throw new ConfigProblem(
      `COUNTERSIGN_MAIL_FROM is "${from}". It must be an email address, such as Countersign <license@example.com>.`,
    );
  }
  if (smtpUrl === null) return null;
  const url = URL.canParse(smtpUrl) ? new URL(smtpUrl) : null;
  const isDirect = url?.protocol === "smtps:";
  const tls = url?.searchParams.get("tls") ?? null;
  // The value can contain a password, so it is not repeated.
  if (url === null || (!isDirect && url.protocol !== "smtp:") || url.hostname === "") {
    throw new ConfigProblem(
      "COUNTERSIGN_SMTP_URL is not the URL of a mail server. It must look like smtp://user:password@host:587, or smtps://user:password@host:465.",
    );
  }
  if (tls !== null && !["required", "unverified", "off"].includes(tls)) {
    throw new ConfigProblem(
      `COUNTERSIGN_SMTP_URL has tls=${tls}. It must be required, unverified or off, or omitted.`,
    );
  }
  if (from === null) {
    throw new ConfigProblem(
      "COUNTERSIGN_MAIL_FROM is missing. With COUNTERSIGN_SMTP_URL it must be the sender of emails, such as Countersign <license@example.com>.",
    );
  }
  const isHere = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  // A password is not sent unencrypted unless explicitly allowed.
  const isNeeded = tls === "required" || (tls !== "off" && url.password !== "" && !isHere);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? (isDirect ? 465 : 587) : Number(url.port),
    tls: isDirect ? "direct" : tls === "off" ? "off" : isNeeded ? "required" : "offered",
    checksCertificate: tls !== "unverified",
    user: url.username === "" ? null : decodeURIComponent(url.username),
    password: url.password === "" ? null : decodeURIComponent(url.password),
    from,
  };
}
