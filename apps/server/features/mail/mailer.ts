import { type Failure, failure } from "@countersign/contract/problems/failures";
import { nextAttemptAtMs, triedForMs } from "@countersign/domain/mail/retry";
import {
  anyEmailIsDue,
  claimEmail,
  emailFailed,
  emailWasSent,
  openEmail,
} from "@countersign/store/queries/mail/outbox";
import type { Store } from "@countersign/store/store";
import type { OutboxRow, StoredEmailRow } from "@countersign/store/tables/platform";
import { inBursts, isStorageError, type Log, reasonOf } from "../../base/log.ts";
import type { MailSettings } from "../../base/services.ts";
import type { PeriodicJob } from "../../jobs/periodic-jobs.ts";

/** How often the outbox is checked. */
const everyMs = 1_000;
/** How long a claim on an email lasts: longer than any attempt, so that no other node sends it. */
const claimMs = 5 * 60_000;
const attemptMs = 4 * 60_000;
export const emailsAtOnce = 4;
const shutdownMs = 3_000;
const logEveryMs = 10_000;

/**
 * Sends the emails in the outbox. Every node has one; a node claims an email before it sends it. An email is sent
 * twice only if a node dies after the mail server accepted it and before recording that; both have the same Message-ID.
 */
export class Mailer implements PeriodicJob {
  readonly name = "mail";
  readonly everyMs = everyMs;
  readonly #store: Store;
  readonly #transport: MailTransport;
  readonly #log: Log;
  readonly #logFailed: (count: number, reason: string) => void;
  /** Each sends one email after the other until none is due; one that hangs does not delay the others. */
  readonly #senders = new Set<Promise<void>>();
  #isClosed = false;

  constructor(store: Store, transport: MailTransport, log: Log) {
    this.#store = store;
    this.#transport = transport;
    this.#log = log;
    this.#logFailed = inBursts<string>(logEveryMs, (emails, reason) =>
      log.warn("Emails could not be sent. See the outbox for details.", { emails, reason }),
    );
  }

  /** Starts sending what is due. */
  async run(): Promise<void> {
    if (this.#isClosed || this.#senders.size >= emailsAtOnce) return;
    const nowMs = await this.#store.clock();
    if (!(await anyEmailIsDue(this.#store.reads, nowMs, nowMs - triedForMs))) return;
    while (!this.#isClosed && this.#senders.size < emailsAtOnce) {
      const sender: Promise<void> = this.#sendOneAfterTheOther()
        .catch((error) => {
          if (!isStorageError(this.#log, error)) this.#logFailed(1, reasonOf(error));
        })
        .finally(() => this.#senders.delete(sender));
      this.#senders.add(sender);
    }
  }

  /** Starts no further emails, gives those in progress a moment, and then aborts them. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const timer = setTimeout(() => this.#transport.close(), shutdownMs);
    await Promise.all(this.#senders);
    clearTimeout(timer);
    this.#transport.close();
  }

  async #sendOneAfterTheOther(): Promise<void> {
    while (!this.#isClosed) {
      const nowMs = await this.#store.clock();
      const message = await this.#store.transaction((db) =>
        claimEmail(db, nowMs, nowMs - triedForMs, nowMs + claimMs),
      );
      if (message === undefined) return;
      await this.#send(message);
    }
  }

  async #send(message: StoredEmailRow): Promise<void> {
    try {
      await inTime(this.#transport.send(openEmail(this.#store.reads, message)));
    } catch (error) {
      await this.#failed(message, error);
      return;
    }
    const nowMs = await this.#store.clock();
    await this.#store.transaction((db) => emailWasSent(db, message.id, nowMs));
  }

  async #failed(message: StoredEmailRow, error: unknown): Promise<void> {
    this.#logFailed(1, reasonOf(error).slice(0, 500));
    const failure = JSON.stringify(mailFailure(error));
    const nowMs = await this.#store.clock();
    const next = nextAttemptAtMs(
      {
        writtenAtMs: message.created_at,
        attempts: message.attempts,
        isPermanentFailure: isPermanentFailure(error),
      },
      nowMs,
    );
    await this.#store.transaction((db) => emailFailed(db, message, failure, next));
  }
}

async function inTime(attempt: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new MailTimeout("The mail server took too long.")), attemptMs);
  try {
    await Promise.race([attempt, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The connection to a mail server. */
export interface MailTransport {
  /** Rejects if the email was not accepted. */
  send(
    message: Pick<OutboxRow, "id" | "recipient" | "subject" | "body_text" | "body_html" | "reply_to">,
  ): Promise<void>;
  /** Aborts what is in progress. */
  close(): void;
}

const timeoutMs = 20_000;
const idleMs = 10_000;

/** `url` is the URL of this server: its host name is part of every Message-ID. */
export function smtpTransport(settings: MailSettings, url: string, connections: number): MailTransport {
  let transport: ReturnType<typeof openTransport> | null = null;
  const domain = new URL(url).hostname;
  return {
    send: async (message) => {
      transport ??= openTransport(settings, connections);
      await (await transport).sendMail({
        from: settings.from,
        to: { name: "", address: message.recipient },
        ...(message.reply_to === null ? {} : { replyTo: { name: "", address: message.reply_to } }),
        subject: message.subject,
        text: message.body_text,
        ...(message.body_html === null ? {} : { html: message.body_html }),
        // The same at every attempt, so that a mail client can recognize a duplicate.
        messageId: `<${message.id}@${domain}>`,
        headers: { "Auto-Submitted": "auto-generated" },
      });
    },
    close: () => void transport?.then((open) => open.close({ force: true })),
  };
}

async function openTransport(settings: MailSettings, connections: number) {
  const { host, port, tls, user, password } = settings;
  // Loaded with the first email, not at the start.
  const { createTransport } = await import("nodemailer");
  return createTransport({
    pool: true,
    maxConnections: connections,
    // The claimant decides whether an email is retried.
    maxRequeues: 0,
    idleTimeout: idleMs,
    host,
    port,
    secure: tls === "direct",
    requireTLS: tls === "required",
    ignoreTLS: tls === "off",
    // If an attacker in between could strip TLS altogether, a certificate proves nothing; encryption is still better
    // than none.
    tls: { rejectUnauthorized: settings.checksCertificate && tls !== "offered" },
    ...(user === null ? {} : { auth: { user, pass: password ?? "" } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/**
 * The server permanently rejected this recipient or this email; a wrong password, or an unavailable server, can be
 * fixed.
 */
function isPermanentFailure(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error) || !("responseCode" in error)) return false;
  const isAboutTheEmail = error.code === "EENVELOPE" || error.code === "EMESSAGE";
  return isAboutTheEmail && Number(error.responseCode) >= 500;
}

/** Longer than what mail servers say. */
const maxReasonLength = 500;

class MailTimeout extends Error {
  override readonly name = "MailTimeout";
}

/** Why an email could not be sent. */
function mailFailure(error: unknown): Failure {
  if (error instanceof MailTimeout) return failure("mail_server_timeout");
  const reason = cut(reasonOf(error));
  if (!(error instanceof Error)) return failure("email_not_sent", { reason });
  const code = "code" in error ? error.code : null;
  const smtpResponse = "response" in error && typeof error.response === "string" ? error.response : "";
  const response = smtpResponse === "" ? reason : cut(smtpResponse);
  switch (code) {
    case "EENVELOPE":
    case "EMESSAGE":
      return failure("email_rejected", { response });
    case "EAUTH":
    case "ENOAUTH":
      return failure("mail_sign_in_refused", { response });
    case "ETLS":
    case "EREQUIRETLS":
      return failure("mail_tls_failed", { reason });
    case "ETIMEDOUT":
      return failure("mail_server_timeout");
    case "ECONNECTION":
    case "ESOCKET":
    case "EDNS":
      return failure("mail_server_unreachable", { reason });
    default:
      return smtpResponse === ""
        ? failure("email_not_sent", { reason })
        : failure("mail_server_error", { response });
  }
}

function cut(text: string): string {
  return text.slice(0, maxReasonLength).toWellFormed();
}
