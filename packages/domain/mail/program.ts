/**
 * A browser and what it runs on, in words that people know: "Firefox 140, Linux". Null for a User-Agent that is none of
 * the common ones; then it is best shown as it is.
 */
export function programName(userAgent: string): string | null {
  const browser = browsers.find(([, mark]) => mark.test(userAgent));
  const system = systems.find(([, mark]) => mark.test(userAgent));
  if (browser === undefined) return null;
  const [name, mark] = browser;
  const named = `${name} ${mark.exec(userAgent)?.[1] ?? ""}`.trim();
  return system === undefined ? named : `${named}, ${system[0]}`;
}

/** In the order in which they are looked for: most of them say that they are the ones below as well. */
const browsers: readonly (readonly [name: string, mark: RegExp])[] = [
  ["Edge", /\bEdgA?(?:iOS)?\/(\d+)/],
  ["Opera", /\bOPR\/(\d+)/],
  ["Samsung Internet", /\bSamsungBrowser\/(\d+)/],
  ["Firefox", /\b(?:Firefox|FxiOS)\/(\d+)/],
  ["Chrome", /\b(?:Chrome|CriOS)\/(\d+)/],
  ["Safari", /\bVersion\/(\d+)[\d.]* (?:Mobile\/\w+ )?Safari\//],
];

const systems: readonly (readonly [name: string, mark: RegExp])[] = [
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["Android", /\bAndroid\b/],
  ["Windows", /\bWindows NT\b/],
  ["macOS", /\bMacintosh\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Linux", /\bLinux\b/],
];
