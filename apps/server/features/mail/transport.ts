import type { OutboxRow } from "@countersign/store/tables/platform";
import type { MailSettings } from "../../base/config.ts";

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
export function isPermanentFailure(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error) || !("responseCode" in error)) return false;
  const isAboutTheEmail = error.code === "EENVELOPE" || error.code === "EMESSAGE";
  return isAboutTheEmail && Number(error.responseCode) >= 500;
}
