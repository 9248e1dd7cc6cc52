import { dictionary } from "@zxcvbn-ts/language-common";

/**
 * The passwords that people choose most often, and that attackers therefore try first: 49,000 of them, in lower case,
 * most frequent first, from a maintained package. It takes a moment to load, so it is loaded on demand.
 */
const listed = dictionary["passwords-common"] as readonly string[];

/** Obvious choices on this very site. */
const siteWords = ["countersign", "license", "licenses", "licence", "licensekey", "customer", "dashboard"];

export const commonPasswords: ReadonlySet<string> = new Set([...listed, ...siteWords]);

/** So common that even a combination of two is soon tried. */
export const mostCommonPasswords: ReadonlySet<string> = new Set([...listed.slice(0, 3_000), ...siteWords]);
