import { expect, test } from "bun:test";
import { languageFor } from "./language.ts";

test.each([
  ["a choice on this device comes first", "es", "de", ["en-US"], "es"],
  ["without one, the seller's language", null, "de", ["en-US"], "de"],
  ["without a seller, the first of the browser's that there is", null, null, ["fr", "es-MX", "de"], "es"],
  ["a seller's language that is not there is skipped", null, "fr", ["de-AT"], "de"],
  ["otherwise English", null, null, ["fr"], "en"],
  ["English without any", null, null, [], "en"],
] as const)("%s", (_, chosen, ofSeller, ofBrowser, language) => {
  expect(languageFor(chosen, ofSeller, ofBrowser)).toBe(language);
});
