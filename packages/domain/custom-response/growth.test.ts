import { describe, expect, test } from "bun:test";
import { fastestMs } from "../../../tests/support/fastest.ts";
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

const shortLength = 1_000;
const factor = 16;

const checks = {
  "a check": (text: string) => void customResponseProblems({ a: text }),
  "a response": (text: string) => void renderCustom({ a: text }, null, values),
};

describe.each(Object.entries(checks))("%s", (_name, run) => {
  test.each(hostile)("of %s takes time in proportion to its length", (_name, text) => {
    const short = fastestMs(
      () => {
        for (let times = 0; times < factor; times++) run(text(shortLength));
      },
      0,
      7,
    );
    const long = fastestMs(() => run(text(shortLength * factor)), 0, 7);
    // A quadratic one would take sixteen times as long.
    expect(long).toBeLessThan(short * 5 + 1);
  });
});
