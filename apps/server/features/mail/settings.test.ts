import { expect, test } from "bun:test";
import { readConfig } from "../../base/config.ts";
import { ConfigProblem } from "../../base/environment.ts";

const from = "Countersign <license@example.com>";
const settingsFor = (url: string) =>
  readConfig({ COUNTERSIGN_SMTP_URL: url, COUNTERSIGN_MAIL_FROM: from }).mail;

test("without a mail server, emails are stored", () => expect(readConfig({}).mail).toBeNull());

test("the URL of the mail server contains host, port, credentials and TLS mode", () => {
  const account = { user: "me@example.com", password: "p:ss", from };
  const server = { host: "mail.example.com", port: 2525, tls: "required", checksCertificate: true } as const;
  const settings = settingsFor("smtp://me%40example.com:p%3Ass@mail.example.com:2525");
  expect(settings).toEqual({ ...server, ...account });
});

test.each([
  ["smtps://u:p@mail.example.com", 465, "direct"],
  ["smtp://u:p@mail.example.com", 587, "required"],
  ["smtp://u:p@127.0.0.1:25", 25, "offered"],
  ["smtp://u:p@[::1]:25", 25, "offered"],
  ["smtp://relay.internal", 587, "offered"],
  ["smtp://u:p@relay.internal?tls=off", 587, "off"],
  ["smtp://u:p@relay.internal?tls=unverified", 587, "required"],
  ["smtp://relay.internal?tls=required", 587, "required"],
])("%s has port %d and TLS %s", (url, port, tls) => expect(settingsFor(url)).toMatchObject({ port, tls }));

test.each([
  ["no address", "mail.example.com", from, "COUNTERSIGN_SMTP_URL"],
  ["another protocol", "https://a:hush@b", from, "COUNTERSIGN_SMTP_URL"],
  ["an unknown TLS mode", "smtp://b?tls=no", from, "COUNTERSIGN_SMTP_URL"],
  ["no sender", "smtp://b", "", "COUNTERSIGN_MAIL_FROM"],
  ["an invalid sender", "", "Countersign", "COUNTERSIGN_MAIL_FROM"],
])("%s stops the start, and the message names it without the password", (_, url, sender, named) => {
  const read = () => readConfig({ COUNTERSIGN_SMTP_URL: url, COUNTERSIGN_MAIL_FROM: sender });
  expect(read).toThrow(ConfigProblem);
  expect(read).toThrow(named);
  expect(read).not.toThrow("hush");
});
