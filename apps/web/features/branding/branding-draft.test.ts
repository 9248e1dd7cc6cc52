import { expect, test } from "bun:test";
import { type BrandingDraft, changesOf, colorOf } from "./branding-draft.ts";

const base: BrandingDraft = {
  display_name: "Acme",
  accent_color: "#16755c",
  support_email: "",
  support_url: "",
  locale: "",
  links: [{ title: "Manual", url: "https://example.com" }],
};

test("only changed fields of the branding are sent, an emptied one as null", () => {
  expect(changesOf(base, base)).toEqual({});
  expect(changesOf({ ...base, display_name: " ", support_email: "a@example.com " }, base)).toEqual({
    display_name: null,
    support_email: "a@example.com",
  });
});

test("rows without a title and URL are not sent as links", () => {
  const links = [{ title: "", url: " " }, ...base.links];
  expect(changesOf({ ...base, links }, base)).toEqual({ links: [...base.links] });
});

test("a colour is read with and without a number sign, and other text as it is", () => {
  expect(["16755c", " #16755C ", "red", ""].map(colorOf)).toEqual(["#16755c", "#16755C", "red", ""]);
});
