import { expect, test } from "bun:test";
import { type BrandingDraft, changesOf, colorOf, rebased } from "./branding-draft.ts";

const base: BrandingDraft = {
  displayName: "Acme",
  accentColor: "#16755c",
  supportEmail: "",
  supportUrl: "",
  locale: "",
  links: [{ title: "Manual", url: "https://example.com" }],
};

test("only changed fields of the branding are sent, an emptied one as null", () => {
  expect(changesOf(base, base)).toEqual({});
  expect(changesOf({ ...base, displayName: " ", supportEmail: "a@example.com " }, base)).toEqual({
    display_name: null,
    support_email: "a@example.com",
  });
});

test("rows without a title and URL are not sent as links", () => {
  const links = [{ title: "", url: " " }, ...base.links];
  expect(changesOf({ ...base, links }, base)).toEqual({ links: [...base.links] });
});

test("reloading keeps the user's changes and takes those of others", () => {
  const draft = { ...base, displayName: "Mine" };
  const now = { ...base, displayName: "Theirs", supportUrl: "https://example.com/help" };
  expect(rebased(draft, base, now)).toEqual({ ...now, displayName: "Mine" });
});

test("a colour is read with and without a number sign, and other text as it is", () => {
  expect(["16755c", " #16755C ", "red", ""].map(colorOf)).toEqual(["#16755c", "#16755C", "red", ""]);
});
