import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { runHere } from "../../../tests/support/run-command.ts";
import { allCommands } from "./command-line.ts";

/** What bash offers for a command line of these words, the last of which is being typed. */
async function offeredByBash(...typed: readonly string[]): Promise<string[]> {
  const { stdout } = await runHere(["completion", "bash"]);
  const words = ["countersign", ...typed].map((word) => `'${word}'`).join(" ");
  const script = `${stdout}
COMP_WORDS=(${words}); COMP_CWORD=${typed.length}; _countersign; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const result = spawnSync("bash", ["--norc", "-u", "-c", script], { encoding: "utf8", timeout: 10_000 });
  expect(result.stderr).toBe("");
  return result.stdout.split("\n").filter(Boolean);
}

describe("bash completes", () => {
  test("the names of all commands", async () => {
    const names = (await allCommands()).map(({ name }) => name);
    expect(await offeredByBash("")).toEqual([...names, "--help", "--version"]);
    expect(await offeredByBash("re")).toEqual(["restore", "recount"]);
  });

  test("the options and the second word of a command", async () => {
    expect(await offeredByBash("restore", "--")).toEqual(["--force", "--json", "--help"]);
    expect(await offeredByBash("events", "l")).toEqual(["listen"]);
    expect(await offeredByBash("import", "--p")).toEqual(["--product"]);
  });

  test("nothing of its own after an unknown command, so that files are offered", async () => {
    expect(await offeredByBash("nothing", "")).toEqual([]);
  });
});

test("every offered option is one that its command takes", async () => {
  const { stdout } = await runHere(["completion", "bash"]);
  const lines = [...stdout.matchAll(/^ +([a-z-]+)\) choices="(.*)" ;;$/gm)];
  expect(lines.length).toBe((await allCommands()).length);
  for (const [, name = "", choices = ""] of lines) {
    const words = choices.split(" ");
    const starts = words.filter((word) => !word.startsWith("--")).map((word) => [name, word]);
    for (const option of words.filter((word) => word.startsWith("--") && word !== "--help")) {
      const tried = (starts.length === 0 ? [[name]] : starts).map((start) =>
        // The second one is never known, so that no command runs.
        runHere([...start, option, "--not-an-option"]),
      );
      const outputs = (await Promise.all(tried)).map(({ stderr }) => stderr);
      expect(outputs.some((stderr) => !stderr.includes(`Unknown option '${option}'`))).toBe(true);
    }
  }
});

test.each(["zsh", "fish"])("the script for %s names all commands and their options", async (shell) => {
  const { code, stdout } = await runHere(["completion", shell]);
  expect(code).toBe(0);
  for (const { name } of await allCommands()) expect(stdout).toContain(name);
  expect(stdout).toContain(shell === "fish" ? "-l on-existing" : "--on-existing");
});

test("another shell is refused with the ones there are", async () => {
  expect(await runHere(["completion", "tcsh"])).toMatchObject({
    code: 1,
    stderr: "There is no script for tcsh, only for bash, zsh and fish.\n",
  });
});
