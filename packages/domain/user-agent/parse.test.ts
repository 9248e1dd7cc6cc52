import { expect, test } from "bun:test";
import { fastestMs } from "../../../tests/support/fastest.ts";
import { browserName, parseUserAgent, programName } from "./parse.ts";

const webkit = "AppleWebKit/605.1.15 (KHTML, like Gecko)";
const blink = "AppleWebKit/537.36 (KHTML, like Gecko)";
const windows = `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${blink}`;
const android = `Mozilla/5.0 (Linux; Android 10; K) ${blink}`;
const mac = `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webkit}`;
const iPhone = `Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) ${webkit}`;
const iPad = `Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) ${webkit}`;
const linux = `Mozilla/5.0 (X11; Linux x86_64) ${blink}`;
const chromeOs = `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${blink}`;

test.each([
  ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox 140, Linux"],
  [`${windows} Chrome/138.0.0.0 Safari/537.36`, "Chrome 138, Windows"],
  [`${mac} Version/18.5 Safari/605.1.15`, "Safari 18, macOS"],
  [`${iPhone} Version/18.5 Mobile/15E148 Safari/604.1`, "Safari 18, iPhone"],
  [`${android} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`, "Samsung Internet 28, Android"],
  [`${iPhone} Version/18.0 EdgiOS/138.0.3351.77 Mobile/15E148 Safari/604.1`, "Edge 138, iPhone"],
  [`${windows} Chrome/137.0.0.0 Safari/537.36 OPR/121.0.0.0`, "Opera 121, Windows"],
  ["Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0", "Firefox 140, Android"],
  [`${iPad} Version/18.5 Mobile/15E148 Safari/604.1`, "Safari 18, iPad"],
  [`${chromeOs} Chrome/138.0.0.0 Safari/537.36`, "Chrome 138, ChromeOS"],
  ["Firefox/3.6", "Firefox 3"],
  ["curl/8.5.0", null],
  ["", null],
])("the user agent %s is named %p", (userAgent, name) => expect(programName(userAgent)).toBe(name));

test.each([
  ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox, Linux"],
  ["Mozilla/5.0 (compatible)", ""],
  ["curl/8.5.0", "curl"],
  ["", ""],
])("the short name of %s is %p", (userAgent, name) => expect(browserName(userAgent)).toBe(name));

test.each([
  [`${android} Chrome/138.0.0.0 Mobile Safari/537.36`, true],
  [`${android} Chrome/138.0.0.0 Safari/537.36`, false],
  [`${iPhone} Version/18.5 Mobile/15E148 Safari/604.1`, true],
  [`${linux} Chrome/138.0.0.0 Safari/537.36`, false],
])("%s is a phone: %p", (userAgent, isPhone) => expect(parseUserAgent(userAgent).isPhone).toBe(isPhone));

const parts = ["Version/1 ", "1", "1.", "os 1_", "opt/1", "Android", "/", "x/", "(", " "];
test.each(parts)("64 KB of %p are parsed in less than a millisecond", (part) => {
  const text = part.repeat(65_536 / part.length);
  expect(fastestMs(() => void programName(text), 1)).toBeLessThan(1);
});
