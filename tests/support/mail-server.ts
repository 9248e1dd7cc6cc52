import { SMTPServer } from "smtp-server";
import { Arrivals } from "./arrivals.ts";

interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly messageId: string;
  /** Headers and bodies, decoded. */
  readonly text: string;
}

/** A mail server on loopback that records all emails. */
export interface MailServer {
  readonly url: string;
  readonly port: number;
  readonly received: ReceivedMail[];
  /** The first email to this recipient, which may have arrived already. */
  arrival(recipient: string): Promise<ReceivedMail>;
  /** Decides about each recipient: a number refuses it with that reply code, `hang` never replies. */
  verdict: (recipient: string) => "take" | "hang" | number;
  close(): Promise<void>;
}

export async function openMailServer(
  account: { readonly user: string; readonly password: string } | null = null,
): Promise<MailServer> {
  const received = new Arrivals<ReceivedMail>();
  const server = new SMTPServer({
    authOptional: account === null,
    disableReverseLookup: true,
    logger: false,
    onAuth: (auth, _session, done) => {
      if (auth.username === account?.user && auth.password === account?.password)
        done(null, { user: "known" });
      else done(new Error("Invalid username or password"));
    },
    onRcptTo: ({ address }, _session, done) => {
      const verdict = mailServer.verdict(address);
      if (verdict === "hang") return;
      if (verdict === "take") return done();
      done(Object.assign(new Error("Not here"), { responseCode: verdict }));
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const raw = Buffer.concat(chunks).toString();
        received.add({
          from: session.envelope.mailFrom === false ? "" : session.envelope.mailFrom.address,
          to: session.envelope.rcptTo.map((recipient) => recipient.address),
          messageId: /^Message-ID: (.*)$/im.exec(raw)?.[1]?.trim() ?? "",
          text: raw
            .replace(/=\r?\n/g, "")
            .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16))),
        });
        done();
      });
    },
  });
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const credentials = account === null ? "" : `${account.user}:${account.password}@`;
  const mailServer: MailServer = {
    url: `smtp://${credentials}127.0.0.1:${port}`,
    port,
    received: received.all,
    arrival: (recipient) => received.first(`an email to ${recipient}`, ({ to }) => to.includes(recipient)),
    verdict: () => "take",
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return mailServer;
}
