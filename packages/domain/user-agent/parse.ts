/** What a `User-Agent` says, in familiar words. Null for what is uncommon. */
export interface UserAgent {
  readonly browser: string | null;
  readonly majorVersion: string | null;
  readonly system: string | null;
  readonly isPhone: boolean;
}

export function parseUserAgent(text: string): UserAgent {
  const [browser, mark] = browsers.find(([, one]) => one.test(text)) ?? [null, null];
  return {
    browser,
    majorVersion: mark?.exec(text)?.[1] ?? null,
    system: systems.find(([, one]) => one.test(text))?.[0] ?? null,
    isPhone: /\b(?:iPhone|Android.*Mobile)\b/.test(text),
  };
}

/** A browser and its platform: "Firefox, Linux". Empty if neither is known. */
export function browserName(userAgent: string): string {
  const { browser, system } = parseUserAgent(userAgent);
  return [browser, system].filter((part) => part !== null).join(", ");
}

/** With its version: "Firefox 140, Linux". Null for other programs, which are best shown as is. */
export function programName(userAgent: string): string | null {
  const { browser, majorVersion, system } = parseUserAgent(userAgent);
  if (browser === null || browser === "curl") return null;
  return system === null ? `${browser} ${majorVersion}` : `${browser} ${majorVersion}, ${system}`;
}

/** In matching order: most browsers also claim to be the ones below them. */
const browsers: readonly (readonly [name: string, mark: RegExp])[] = [
  ["Edge", /\bEdg(?:A|iOS)?\/(\d+)/],
  ["Opera", /\bOPR\/(\d+)/],
  ["Samsung Internet", /\bSamsungBrowser\/(\d+)/],
  ["Firefox", /\b(?:Firefox|FxiOS)\/(\d+)/],
  ["Chrome", /\b(?:Chrome|CriOS|HeadlessChrome)\/(\d+)/],
  ["Safari", /\bVersion\/(\d+)[\d.]*.*\bSafari\//],
  ["curl", /^curl\/(\d+)/],
];

const systems: readonly (readonly [name: string, mark: RegExp])[] = [
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["Android", /\bAndroid\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Windows", /\bWindows NT\b/],
  ["macOS", /\bMacintosh\b/],
  ["Linux", /\bLinux\b/],
];
