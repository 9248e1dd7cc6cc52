import { expect, test } from "bun:test";
import { ConfigProblem, readConfig } from "../../config.ts";

const from = "Countersign <license@example.com>";
const settingsFor = (url: string) =>
  readConfig({ COUNTERSIGN_SMTP_URL: url, COUNTERSIGN_MAIL_FROM: from }).mail;

test("without a mail server, emails are stored", () => {
  expect(readConfig({}).mail).toBeNull();
});

test("the URL contains host, port, credentials and TLS mode", () => {
  expect(settingsFor("smtp://me%40example.com:p%3Ass@mail.example.com:2525")).toEqual({
    host: "mail.example.com",
    port: 2525,
    tls: "required",
    checksCertificate: true,
    user: "me@example.com",
    password: "p:ss",
    from,
  });
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
])("%s is port %d with TLS %s", (url, port, tls) => {
  expect(settingsFor(url)).toMatchObject({ port, tls });
});

test.each([
  [
    "no address",
    { COUNTERSIGN_SMTP_URL: "mail.example.com", COUNTERSIGN_MAIL_FROM: from },
    "COUNTERSIGN_SMTP_URL",
  ],
  [
    "another protocol",
    { COUNTERSIGN_SMTP_URL: "https://a:hush@b", COUNTERSIGN_MAIL_FROM: from },
    "COUNTERSIGN_SMTP_URL",
  ],
  [
    "an unknown TLS mode",
    { COUNTERSIGN_SMTP_URL: "smtp://b?tls=no", COUNTERSIGN_MAIL_FROM: from },
    "COUNTERSIGN_SMTP_URL",
  ],
  ["no sender", { COUNTERSIGN_SMTP_URL: "smtp://b" }, "COUNTERSIGN_MAIL_FROM"],
  ["an invalid sender", { COUNTERSIGN_MAIL_FROM: "Countersign" }, "COUNTERSIGN_MAIL_FROM"],
])("%s stops the start, and the message names it without the password", (_name, environment, named) => {
  const read = () => readConfig(environment);
  expect(read).toThrow(ConfigProblem);
  expect(read).toThrow(named);
  expect(read).not.toThrow("hush");
});
