import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Block } from "./blocks.ts";
import { placeOf } from "./blocks.ts";

const root = join(import.meta.dir, "../..");
const sdkSource = (name: string, file: string) => join(root, "sdks", name, "src", file);
const typeScriptSdks = {
  "@countersign/node/device": sdkSource("node", "device/index.ts"),
  "@countersign/node/http": sdkSource("node", "http/index.ts"),
  "@countersign/node": sdkSource("node", "index.ts"),
  "@countersign/express": sdkSource("express", "index.ts"),
};

/** A program with the values that it needs to run: URLs, keys and IDs of a server. */
export interface Program {
  readonly block: Block;
  readonly text: string;
}

/** The environment of programs, and an empty folder. */
export interface Surroundings {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** What the compiler says against the blocks in TypeScript and JavaScript. */
export async function compileTypeScript(blocks: readonly Block[], folder: string): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  blocks.forEach(({ text, fragment }, index) => {
    writeFileSync(join(folder, `block-${index}.ts`), `${fragment ?? ""}\n${text}\nexport {};\n`);
  });
  // Of frameworks, only the names are known here: the tests of the SDKs have them installed.
  const frameworks = ["express", "hono", "fastify", "@nestjs/common", "@nestjs/core"];
  writeFileSync(
    join(folder, "modules.d.ts"),
    frameworks.map((name) => `declare module "${name}";`).join("\n"),
  );
  const compilerOptions = {
    strict: true,
    noImplicitAny: false,
    noEmit: true,
    target: "ES2022",
    lib: ["ES2024", "DOM", "DOM.Iterable"],
    module: "ESNext",
    moduleResolution: "Bundler",
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    types: ["bun"],
    paths: Object.fromEntries(Object.entries(typeScriptSdks).map(([name, file]) => [name, [file]])),
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  const { output } = await run(join(root, "node_modules/.bin/tsc"), ["-p", folder]);
  return output.split("\n").flatMap((line) => {
    const [, index, message] = /block-(\d+)\.ts(.*)$/.exec(line) ?? [];
    const block = blocks[Number(index)];
    return block === undefined ? [] : [`${placeOf(block)} ${message}`];
  });
}

/** Where a program in TypeScript can be imported from. */
function importable({ text }: Program, path: string): string {
  const names = Object.keys(typeScriptSdks) as (keyof typeof typeScriptSdks)[];
  const resolved = names.reduce(
    (result, name) => result.replaceAll(`"${name}"`, JSON.stringify(typeScriptSdks[name])),
    text,
  );
  // A server of a page would keep a fixed port.
  writeFileSync(path, `${resolved.replace(/\.listen\(\d+\)/, '.listen(0, "127.0.0.1")')}\nexport {};\n`);
  return path;
}

/** Runs programs in TypeScript and JavaScript one after the other, in one process. */
export async function runTypeScript(programs: readonly Program[], { folder, environment }: Surroundings) {
  const files = programs.map((program, index) => [
    placeOf(program.block),
    importable(program, join(folder, `program-${index}.ts`)),
  ]);
  const driver = join(folder, "driver.ts");
  writeFileSync(
    driver,
    `for (const [place, file] of ${JSON.stringify(files)}) {
  try { await import(file); }
  catch (error) { console.log("FAILED", place, error); }
}
process.exit(0);
`,
  );
  return failuresOf(await run(process.execPath, [driver], { cwd: folder, env: environment }), programs);
}

/** Runs programs in Python one after the other, in one process. Those that cannot be run are compiled. */
export async function runPython(
  programs: readonly Program[],
  compiled: readonly Block[],
  { folder, environment }: Surroundings,
) {
  const driver = `import json, os, sys
given = json.load(sys.stdin)
for place, text in given["compiled"]:
    try:
        compile(text, place, "exec")
    except SyntaxError as error:
        print("FAILED", place, error)
for place, text in given["run"]:
    try:
        exec(compile(text, place, "exec"), {"__name__": "__main__"})
    except SystemExit as end:
        print("FAILED", place, "exit", end.code)
    except Exception as error:
        print("FAILED", place, repr(error))
sys.stdout.flush()
# Without waiting for threads of the programs.
os._exit(0)
`;
  const input = JSON.stringify({
    run: programs.map(({ block, text }) => [placeOf(block), text]),
    compiled: compiled.map((block) => [placeOf(block), block.text]),
  });
  const env = { ...environment, PYTHONPATH: join(root, "sdks/python/src"), PYTHONDONTWRITEBYTECODE: "1" };
  return failuresOf(await run("python3", ["-c", driver], { cwd: folder, env, input }), programs);
}

/** A JVM that starts quickly: these programs end before optimizing them would pay off. */
const quickJava = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"];

/** Compiles classes, and what they use of the SDK, into the folder. Returns what the compiler says. */
export async function compileJava(
  programs: readonly { readonly text: string }[],
  folder: string,
): Promise<string> {
  const files = programs.map(({ text }) => {
    const [, name = "Unnamed"] = /^(?:public )?class (\w+)/m.exec(text) ?? [];
    writeFileSync(join(folder, `${name}.java`), text);
    return `${name}.java`;
  });
  // The sources without their module, of which these classes are no part.
  mkdirSync(join(folder, "sdk"));
  symlinkSync(join(root, "sdks/java/src/main/java/io"), join(folder, "sdk/io"));
  const words = [...quickJava.map((word) => `-J${word}`), "-Xlint:all,-path,-options", "-proc:none"];
  const { output, errors } = await run("javac", [...words, "-sourcepath", "sdk", "-d", "classes", ...files], {
    cwd: folder,
  });
  return `${output}${errors}`;
}

export function runJava(mainClass: string, { folder, environment }: Surroundings) {
  return run("java", [...quickJava, "-cp", "classes", mainClass], { cwd: folder, env: environment });
}

/** Whether a program is installed, and new enough to know this option. */
export function isInstalled(program: string, ...words: string[]): boolean {
  return spawnSync(program, words.length === 0 ? ["--version"] : words, { stdio: "ignore" }).status === 0;
}

interface Ran {
  readonly output: string;
  readonly errors: string;
  readonly status: number | null;
}

function failuresOf({ output, errors, status }: Ran, programs: readonly Program[]): string[] {
  const failed = output.split("\n").filter((line) => line.startsWith("FAILED "));
  if (status === 0 && failed.length === 0) return [];
  return [`${programs.length} programs ended with ${status}`, ...failed, errors.slice(-2_000)];
}

interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

function run(command: string, words: readonly string[], { cwd, env, input = "" }: RunOptions = {}) {
  const { PATH = "", JAVA_HOME = "" } = process.env;
  return new Promise<Ran>((resolve) => {
    const child = spawn(command, words, { cwd, env: { PATH, JAVA_HOME, LANG: "C.UTF-8", ...env } });
    let [output, errors] = ["", ""];
    child.stdout.on("data", (chunk) => {
      output += chunk;
    });
    child.stderr.on("data", (chunk) => {
      errors += chunk;
    });
    child.on("error", (error) => resolve({ output, errors: error.message, status: null }));
    child.on("close", (status) => resolve({ output, errors, status }));
    child.stdin.end(input);
  });
}
