// Runs all checks of the Java SDK: compiler, documentation, tests, packages. Prints a summary, and the output of Maven only
// if something failed. The test reports are in target/surefire-reports.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = dirname(fileURLToPath(import.meta.url));
const reports = join(folder, "target", "surefire-reports");
const oldestJava = 11;

const missing = [missingJava(), missingMaven()].filter((sentence) => sentence !== null);
if (missing.length > 0) {
  process.stderr.write(`${missing.join("\n")}\n`);
  process.exit(3);
}

// Removes the reports of an earlier run.
rmSync(reports, { recursive: true, force: true });
const startMs = Date.now();
const maven = run("mvn", ["-B", "-ntp", "verify"], {
  // The optimizing compiler does not pay off in a short build.
  MAVEN_OPTS: `-XX:TieredStopAtLevel=1 -XX:+UseSerialGC ${process.env.MAVEN_OPTS ?? ""}`.trim(),
});
const output = `${maven.stdout}${maven.stderr}`;
const seconds = ((Date.now() - startMs) / 1_000).toFixed(1);
const { tests, failed, classes } = countTests();
const ran = [...output.matchAll(/^\[\w+\] Tests run: (\d+), .*Skipped: \d+\s*$/gm)]
  .map(([, count]) => Number(count))
  .reduce((sum, count) => sum + count, 0);

let problem = null;
if (maven.status !== 0) problem = `mvn verify failed with ${maven.status ?? maven.signal ?? maven.error}.`;
else if (failed > 0) problem = `${failed} tests failed.`;
else if (tests === 0 || tests !== ran) problem = `Maven ran ${ran} tests, but its reports contain ${tests}.`;
if (problem !== null) process.stdout.write(output);
process.stdout.write(`Java: ${tests} tests in ${classes} classes, ${failed} failed, ${seconds} s\n`);
if (problem !== null) process.stderr.write(`${problem}\n`);
process.exit(problem === null ? 0 : 1);

/** Null if it is installed. */
function missingJava() {
  const home = process.env.JAVA_HOME;
  const compiler = run(home ? join(home, "bin", "javac") : "javac", ["-version"]);
  const version = /javac (?:1\.)?(\d+)/.exec(`${compiler.stdout}${compiler.stderr}`);
  if (compiler.status === 0 && Number(version?.[1]) >= oldestJava) return null;
  return `The Java SDK needs JDK ${oldestJava} or later. Install one, such as Debian's openjdk-17-jdk-headless or from https://adoptium.net, and add it to PATH or set JAVA_HOME.`;
}

function missingMaven() {
  return run("mvn", ["-version"]).status === 0
    ? null
    : "The Java SDK needs Maven 3.6.3 or later. Install it, such as Debian's maven package or from https://maven.apache.org, and add it to PATH.";
}

function run(command, args, environment = {}) {
  const isWindows = process.platform === "win32";
  return spawnSync(isWindows ? `"${command}"` : command, args, {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, ...environment },
    maxBuffer: 256 * 1024 * 1024,
    // On Windows, mvn is a script, which only a shell can start.
    shell: isWindows,
  });
}

function countTests() {
  const names = existsSync(reports) ? readdirSync(reports).filter((name) => /^TEST-.*\.xml$/.test(name)) : [];
  const texts = names.map((name) => readFileSync(join(reports, name), "utf8"));
  const count = (pattern) => texts.reduce((sum, text) => sum + (text.match(pattern)?.length ?? 0), 0);
  return { tests: count(/<testcase /g), failed: count(/<(failure|error)[ >]/g), classes: names.length };
}
