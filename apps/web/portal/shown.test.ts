import { expect, test } from "bun:test";
import type { LicenseSummary } from "./base/api.ts";
import { accentStyle } from "./base/brand.tsx";
import { languageFor } from "./base/language.ts";
import { bySeller, type ExpiryFacts, expiryOf } from "./licenses/license.ts";
import { digitsOf } from "./sign-in/code.ts";
import { clockText, secondsUntil, sinceOf } from "./ui/time.tsx";

const colours = { accent_color: "#7a1fa2", accent_color_dark: "#d19be8", accent_text_dark: "#22052e" };

test("a seller's colour replaces the portal's in both themes", () => {
  expect(accentStyle(colours)).toEqual({
    "--accent": "light-dark(#7a1fa2, #d19be8)",
    "--accent-text": "light-dark(#7a1fa2, #d19be8)",
    "--on-accent": "light-dark(#ffffff, #22052e)",
  });
});

test.each([
  null,
  { ...colours, accent_color: null },
  { ...colours, accent_color: "red; background: url(https://elsewhere.example)" },
  { ...colours, accent_color_dark: "#fff" },
  { ...colours, accent_text_dark: "var(--body)" },
])("%j does not change the portal's colours", (seller) => expect(accentStyle(seller)).toEqual({}));

test.each([
  [10_000, 0, 10],
  [10_000, 9_001, 1],
  [10_000, 9_999, 1],
  [10_000, 10_000, 0],
  [10_000, 99_000, 0],
])("until %i at %i, %i seconds are left, never fewer than none", (until, now, left) => {
  expect(secondsUntil(until, now)).toBe(left);
});

test("seconds are shown as on a clock", () => {
  expect([600, 61, 30, 0].map(clockText)).toEqual(["10:00", "1:01", "0:30", "0:00"]);
});

const sold = {
  seller: { is_suspended: false },
  product: { status: "active" },
  status: "active",
  expires_at: null,
  seconds_left: null,
  term_seconds: null,
} as ExpiryFacts;

/** 23:30 in Berlin. */
const endsAt = "2026-11-20T22:30:00.000Z";
const atMs = Date.parse(endsAt);
const ahead = (seconds: number, isSoon: boolean) => ({
  ...({ kind: "ahead", atMs, isSoon } as const),
  nowMs: atMs - seconds * 1_000,
});

test.each<[what: string, facts: Partial<ExpiryFacts>, expiry: ReturnType<typeof expiryOf>]>([
  ["without an expiry", {}, { kind: "never" }],
  ["that waits for its first use", { term_seconds: 60 }, { kind: "from_first_use", seconds: 60 }],
  [
    "14 calendar days before its end",
    { expires_at: endsAt, seconds_left: 13.9 * 86_400 + 7_200 },
    ahead(13.9 * 86_400 + 7_200, false),
  ],
  [
    "13 calendar days before its end",
    { expires_at: endsAt, seconds_left: 13.9 * 86_400 },
    ahead(13.9 * 86_400, true),
  ],
  ["in its last second", { expires_at: endsAt, seconds_left: 1 }, ahead(1, true)],
  ["that has just ended", { expires_at: endsAt, seconds_left: 0, status: "expired" }, { kind: "over" }],
])("the expiry of a license %s", (_, facts, expiry) => {
  expect(expiryOf({ ...sold, ...facts }, "Europe/Berlin")).toEqual(expiry);
});

test.each<[why: string, facts: object]>([
  ["it is revoked", { status: "revoked" }],
  ["its product is paused", { product: { status: "disabled" } }],
  ["its product is discontinued", { product: { status: "archived" } }],
  ["its seller is suspended", { seller: { is_suspended: true } }],
])("a license does not say how long it is valid if %s", (_, facts) => {
  const license = { ...sold, ...facts, expires_at: endsAt, seconds_left: 86_400 } as ExpiryFacts;
  expect(expiryOf(license, "UTC")).toBeNull();
});

test.each([
  ["the one that the visitor asked for", "es", ["en-US"], "de", "es"],
  ["the first available one of the browser", null, ["fr", "es-MX", "de"], "en", "es"],
  ["the browser's without a seller", null, ["de-AT"], null, "de"],
  ["the seller's if the browser's does not exist", null, ["fr"], "de", "de"],
  ["English if none exists", null, ["fr"], "fr", "en"],
  ["English if there is no other", null, [], null, "en"],
] as const)("the language is %s", (_, wanted, ofBrowser, ofSeller, language) => {
  expect(languageFor(wanted, ofBrowser, ofSeller)).toBe(language);
});

const now = Date.parse("2026-11-17T00:30:00Z");
test.each([
  ["2026-11-17T00:10:00Z", "en", "UTC", { kind: "today" }],
  ["2026-11-16T23:50:00Z", "en", "UTC", { kind: "yesterday" }],
  ["2026-11-11T12:00:00Z", "en", "UTC", { kind: "weekday", day: "Wednesday" }],
  // A week ago has the name of today.
  ["2026-11-10T12:00:00Z", "en", "UTC", { kind: "date", day: "November 10" }],
  // A clock that is behind the server's.
  ["2026-11-17T09:00:00Z", "en", "UTC", { kind: "today" }],
  ["2026-11-17T00:10:00Z", "de", "America/New_York", { kind: "today" }],
  ["2026-11-14T00:10:00Z", "de", "America/New_York", { kind: "weekday", day: "Freitag" }],
])("%s is shown to a reader of %s in %s as %j", (at, language, timeZone, since) => {
  expect(sinceOf(at, now, language, timeZone)).toEqual(since as ReturnType<typeof sinceOf>);
});

test("each seller is listed once, in the order of its first license", () => {
  const of = (id: string, organizationId: string) =>
    ({ id, seller: { organization_id: organizationId } }) as LicenseSummary;
  const groups = bySeller([of("1", "b"), of("2", "a"), of("3", "b")]);
  const listed = groups.map(({ seller, licenses }) => [
    seller.organization_id,
    ...licenses.map(({ id }) => id),
  ]);
  expect(listed).toEqual([
    ["b", "1", "3"],
    ["a", "2"],
  ]);
});

test.each([
  ["123456", "123456"],
  ["123 456", "123456"],
  [" 123-456\n", "123456"],
  ["Your code is 123456.", "123456"],
  ["１２３４５６", "123456"],
  ["1234567", "123456"],
  ["12a", "12"],
  ["", ""],
])("%j is read as the digits %j", (typed, digits) => expect(digitsOf(typed)).toBe(digits));
