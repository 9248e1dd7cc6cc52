import { dictionary } from "@zxcvbn-ts/language-common";

/**
 * What people choose when asked for a password, and what is therefore tried first: 49,000 of them, in lower case, the
 * most frequent first, as a package that is kept up to date has them. It takes a moment to load, so whoever needs it
 * loads it then.
 */
const listed = dictionary["passwords-common"] as readonly string[];

/** What comes to mind on this very site. */
const ours = ["countersign", "license", "licenses", "licence", "licensekey", "customer", "dashboard"];

export const commonPasswords: ReadonlySet<string> = new Set([...listed, ...ours]);

/** Those so frequent that even two of them, one after the other, are soon tried. */
export const mostCommonPasswords: ReadonlySet<string> = new Set([...listed.slice(0, 3_000), ...ours]);
