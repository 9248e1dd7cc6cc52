import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { Arrivals } from "./arrivals.ts";

interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly messageId: string;
  /** Headers and bodies, decoded. */
  readonly text: string;
}

export type MailServer = Awaited<ReturnType<typeof openMailServer>>;

const account = { user: "countersign", password: "hush-hush" };

/** A mail server on loopback that requires a password and records all emails. */
export async function openMailServer() {
  const received = new Arrivals<ReceivedMail>();
  const server = new SMTPServer({
    disableReverseLookup: true,
    logger: false,
    onAuth: ({ username, password }, _session, done) => {
      if (username === account.user && password === account.password) done(null, { user: "known" });
      else done(new Error("Invalid username or password"));
    },
    onRcptTo: ({ address }, _session, done) => {
      const verdict = mailServer.verdict(address);
      if (verdict === "hang") return;
      if (verdict === "take") return done();
      done(Object.assign(new Error("Not here"), { responseCode: verdict }));
    },
    onData: async (stream, { envelope }, done) => {
      const raw = await new Response(stream as never).text();
      received.add({
        from: envelope.mailFrom === false ? "" : envelope.mailFrom.address,
        to: envelope.rcptTo.map((recipient) => recipient.address),
        messageId: /^Message-ID: (.*)$/im.exec(raw)?.[1]?.trim() ?? "",
        text: raw
          .replace(/=\r?\n/g, "")
          .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16))),
      });
      done();
    },
  });
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  const mailServer = {
    url: `smtp://${account.user}:${account.password}@127.0.0.1:${port}`,
    port,
    received: received.all,
    /** The first email to this recipient, which may have arrived already. */
    arrival: (recipient: string) =>
      received.first(`an email to ${recipient}`, ({ to }) => to.includes(recipient)),
    /** Decides about each recipient: a number refuses it with that reply code, `hang` never replies. */
    verdict: (_recipient: string): "take" | "hang" | number => "take",
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
  return mailServer;
}
