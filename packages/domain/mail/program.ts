/**
 * A browser and its platform in familiar words: "Firefox 140, Linux". Null for an uncommon User-Agent, which is best
 * shown as is.
 */
export function programName(userAgent: string): string | null {
  const browser = browsers.find(([, mark]) => mark.test(userAgent));
  const system = systems.find(([, mark]) => mark.test(userAgent));
  if (browser === undefined) return null;
  const [name, mark] = browser;
  const named = `${name} ${mark.exec(userAgent)?.[1] ?? ""}`.trim();
  return system === undefined ? named : `${named}, ${system[0]}`;
}

/** In matching order: most browsers also claim to be the ones below them. */
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
