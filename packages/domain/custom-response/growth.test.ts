import { expect, test } from "bun:test";
import { customResponseProblems } from "./check.ts";
import { type PlaceholderValues, placeholderNames, renderCustom } from "./template.ts";

const values = Object.fromEntries(placeholderNames.map((name) => [name, "x"])) as PlaceholderValues;

/** Texts that make a careless pattern start again at every character. */
const hostile: [name: string, text: (length: number) => string][] = [
  ["open braces", (length) => "{".repeat(length)],
  ["open pairs with letters between", (length) => "{{a".repeat(length / 3)],
  ["one open pair, then letters", (length) => `{{${"a".repeat(length)}`],
  ["one open pair, then blanks", (length) => `{{${" ".repeat(length)}`],
  ["closed pairs of what is no placeholder", (length) => "{{ }}".repeat(length / 5)],
  ["half-closed pairs", (length) => "{{a}".repeat(length / 4)],
  ["closing braces", (length) => "}".repeat(length)],
];

/** The quickest of several tries: what else the machine does only ever makes one slower. */
function quickest(work: () => void): number {
  let best = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 7; tries++) {
    const start = performance.now();
    work();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

const short = 1_000;
const factor = 16;

test.each(hostile)("a check of %s takes time in proportion to its length", (_name, text) => {
  const small = quickest(() => {
    for (let times = 0; times < factor; times++) customResponseProblems({ a: text(short) });
  });
  const large = quickest(() => customResponseProblems({ a: text(short * factor) }));
  // A quadratic one would take sixteen times as long.
  expect(large).toBeLessThan(small * 5 + 1);
});

test.each(hostile)("so does filling in %s", (_name, text) => {
  const small = quickest(() => {
    for (let times = 0; times < factor; times++) renderCustom({ a: text(short) }, null, values);
  });
  const large = quickest(() => renderCustom({ a: text(short * factor) }, null, values));
  expect(large).toBeLessThan(small * 5 + 1);
});
