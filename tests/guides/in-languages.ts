import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { skipWithReason } from "../support/skip.ts";
import { blocksOf } from "./blocks.ts";

interface Language {
  /** Of the block in the page. */
  readonly language: string;
  readonly program: string;
  readonly howToGet: string;
  readonly ending: string;
}

export const node = {
  program: "node",
  howToGet: "Install Node.js 20 or newer.",
  ending: "mjs",
};
export const python = {
  language: "python",
  program: "python3",
  howToGet: "Install Python 3.9 or newer (on Debian: apt-get install python3).",
  ending: "py",
};
export const java = {
  language: "java",
  program: "java",
  howToGet: "Install a JDK, 11 or newer.",
  ending: "java",
};

export interface Case {
  readonly name: string;
  readonly isGood: boolean;
  /** One line, which the driver reads. */
  readonly input: string;
}

/**
 * A function of a page decides the cases. The driver is a program around it: it reads a case from each line of its
 * input, and prints for each whether the function accepts it.
 */
export function testInLanguage(
  page: string,
  language: Language,
  contains: string,
  driver: string,
  cases: readonly Case[],
): void {
  const { program, howToGet, ending } = language;
  const title = `the program of ${page} in ${language.language} accepts what is signed, and refuses everything else`;
  if (spawnSync(program, ["--version"]).status !== 0) {
    skipWithReason(title, `it needs ${program}. ${howToGet}`);
    return;
  }
  test(title, () => {
    const block = blocksOf(page).find(
      (one) => one.language === language.language && one.text.includes(contains),
    );
    const code = block?.text ?? "";
    expect(code).not.toBe("");
    const folder = mkdtempSync(join(tmpdir(), "countersign-guide-"));
    try {
      const path = join(folder, `program.${ending}`);
      writeFileSync(path, language.language === "java" ? withMainFirst(code, driver) : code + driver);
      const input = cases.map((one) => one.input).join("\n");
      const ran = spawnSync(program, [...quick(program), path], { input, encoding: "utf8" });
      expect(ran.stderr).toBe("");
      const printed = ran.stdout.trim().split("\n");
      const expected = cases.map(({ name, isGood }) => `${name}: ${isGood}`);
      expect(cases.map(({ name }, index) => `${name}: ${printed[index]}`)).toEqual(expected);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

/** Optimizing so short a program would not pay off. */
function quick(program: string): string[] {
  return program === "java" ? ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"] : [];
}

/** Java runs a source file through its first class, so that class must have the main method. */
function withMainFirst(code: string, driver: string): string {
  const start = code.search(/^class /m);
  return `${code.slice(0, start)}${driver}${code.slice(start)}`;
}
