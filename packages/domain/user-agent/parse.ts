import Bowser from "bowser";

/** What a `User-Agent` says, in familiar words. Null for what is unknown. */
interface UserAgent {
  readonly browser: string | null;
  readonly majorVersion: string | null;
  readonly system: string | null;
  readonly isPhone: boolean;
}

export function parseUserAgent(text: string): UserAgent {
  // Bowser throws on an empty text.
  const { browser, os, platform } = Bowser.parse(text.slice(0, maxLength) || " ");
  const isKnown = browser.name !== undefined && knownBrowsers.has(browser.name);
  const system = os.name === "iOS" ? (platform.model ?? os.name) : os.name;
  return {
    browser: isKnown ? ourName(browser.name) : null,
    majorVersion: (isKnown && browser.version?.split(".", 1)[0]) || null,
    system: ourName(system),
    isPhone: platform.type === "mobile",
  };
}

/** A browser and its platform: "Firefox, Linux". The name of another program: "curl". Empty if neither is known. */
export function browserName(userAgent: string): string {
  const { browser, system } = parseUserAgent(userAgent);
  return [browser ?? programToken.exec(userAgent)?.[0], system].filter(Boolean).join(", ");
}

/** With its version: "Firefox 140, Linux". Null for other programs, which are best shown as is. */
export function programName(userAgent: string): string | null {
  const { browser, majorVersion, system } = parseUserAgent(userAgent);
  if (browser === null) return null;
  const program = majorVersion === null ? browser : `${browser} ${majorVersion}`;
  return system === null ? program : `${program}, ${system}`;
}

/** Browsers send less. A longer text takes Bowser's expressions time that grows faster than the text. */
const maxLength = 512;

/** Every browser says "Mozilla" first. */
const programToken = /^(?!Mozilla\/)[A-Za-z][\w.-]{1,29}(?=\/\d)/;

const ourName = (name: string | undefined) => (name === undefined ? null : (ourNames.get(name) ?? name));

/** Where people use a shorter or another name than Bowser. */
const ourNames: ReadonlyMap<string, string> = new Map([
  ["Microsoft Edge", "Edge"],
  ["Miui", "Mi Browser"],
  ["Opera Touch", "Opera"],
  ["Samsung Internet for Android", "Samsung Internet"],
  ["Chrome OS", "ChromeOS"],
]);

/** For other programs, Bowser returns a part of the text as the name. */
const knownBrowsers: ReadonlySet<string> = new Set([
  ...Object.values(Bowser.BROWSER_MAP),
  ...ourNames.keys(),
]);
