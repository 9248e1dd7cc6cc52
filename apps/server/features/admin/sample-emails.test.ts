import { expect, test } from "bun:test";
import { languages } from "@countersign/domain/mail/languages";
import { words } from "@countersign/domain/mail/translate";
import dashboardWords from "../../../web/i18n/en/admin.json" with { type: "json" };
import { invitationEmail } from "../invitations/email.ts";
import { compose } from "../mail/compose.ts";
import { deliveryEmail } from "../mail/license-emails.ts";
import { emailKinds, sampleEmail } from "./sample-emails.ts";

const url = "https://license.example.com";
const each = emailKinds.flatMap((kind) => languages.map((language) => ({ kind, language })));

test.each(each)(
  "$kind in $language has the same words as text and as HTML, which fetches and runs nothing, and fits on a phone",
  ({ kind, language }) => {
    const { text, html, subject, kind: written } = sampleEmail(kind, language, url);
    expect(written).toBe(kind);
    expect(html).toContain(`<html lang="${language}">`);
    const [, ...seen] = textIn(html ?? "").split(subject);
    // Below its title, the page has the same words as the text, which adds colons to labels and marks its last line.
    const page = seen.join(subject).replace(/[:\s]/g, "");
    expect(page).toBe(text.replace(/^-- $/m, "").replace(/[:\s]/g, ""));

    const fetching = /<(?:img|script|link|iframe|object|form|video|audio|svg)\b|url\(|@import|\son\w+=/i;
    expect(html).not.toMatch(fetching);
    // Long names are broken.
    for (const [element] of (html ?? "").matchAll(/<(?:h1|p|div class="words"|td class="muted)[^>]*>/g))
      expect(element).toMatch(/word-break:break-(?:word|all)/);
  },
);

test("every kind of email that has a subject has a sample", () => {
  const subjects = Object.keys(words.en).filter((sentence) => sentence.endsWith(".subject"));
  expect(subjects.sort()).toEqual(emailKinds.map((kind) => `${kind}.subject`).sort());
});

test("the dashboard has words for every kind of email", () => {
  expect(emailKinds.filter((kind) => !(kind in dashboardWords.kinds))).toEqual([]);
});

test("names in emails are text on one line, not markup", () => {
  const invitation = {
    organizationName: '<b onclick="x()">Acme</b> & \r\nBcc: all@example.com',
    roleName: "</td><script>",
    invitedBy: "'\"><img src=x>",
    url: "https://license.example.com/invitations/abc?a=1&b=2",
  };
  const recipient = { email: "ada@example.com", language: "en" } as const;
  const { html, text, subject } = invitationEmail(recipient, { id: "1", expiresAtMs: 0, ...invitation });
  expect(html).not.toMatch(/<script|<img|<b /);
  expect(html).toContain('href="https://license.example.com/invitations/abc?a=1&#38;b=2"');
  expect(text).not.toContain("\nBcc");
  expect(subject).toBe('Invitation to join <b onclick="x()">Acme</b> & Bcc: all@example.com');
});

test("a seller's text in an email is marked as theirs, keeps its lines, and is not markup", () => {
  const { text, html } = deliveryEmail({
    ...{ id: "1", license_key: "ABC", expires_at: null, term_ms: 30 * 86_400_000, revoked_at: null },
    ...{ product: "Backup", deliver_license_by_email: 1, expiring_soon_email: 0 },
    license_email_text: "Danke!\r\n<a href='https://evil.example'>Hier</a>\n\nAcme",
    ...{ organization_id: "1", organization: "Acme", owner_id: null, time_zone: "UTC", suspended_at: null },
    ...{ billing_state: "active", daily_emails_override: null, locale: "de" },
    ...{ sender: "Acme", reply_to: null, customer_id: "1", email: "ada@example.com" },
  });
  expect(text).toContain("Nachricht von Acme:\n\nDanke!\n<a href='https://evil.example'>Hier</a>\n\nAcme\n");
  expect(text).toContain("Gültigkeit: 30 Tage ab der ersten Nutzung");
  expect(html).not.toContain("<a href='https://evil");
  expect(html).toContain("Danke!<br>&#60;a href=");
});

test("an email without an action has no link", () => {
  const { text, html } = compose({ email: "a@b", language: "en" }, "password_changed", {
    before: ["password_changed.what"],
  });
  expect(text + html).not.toContain("http");
});

/** The visible text of the page. */
function textIn(html: string): string {
  return html
    .replace(/<style>[\s\S]*?<\/style>|<title>.*<\/title>|<!--[\s\S]*?-->/g, "")
    .replace(/<div style="display:none[^>]*>[\s\S]*?<\/div>/, "")
    .replace(/<[^>]*>/g, "")
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
}
