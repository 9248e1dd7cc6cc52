// Runs all checks of the Java SDK and its Spring Boot starter: compiler, documentation, tests, packages. Prints a summary,
// and the output of Maven only if something failed. Usage: node check.mjs [folder for JUnit XML]
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = dirname(fileURLToPath(import.meta.url));
const reportFolders = ["java", "java-spring"].map((name) =>
  join(folder, "..", name, "target", "surefire-reports"),
);
// The SDK itself runs on Java 11; Spring Boot 3 does not.
const oldestJava = 17;

const missing = [missingJava(), missingMaven()].filter((sentence) => sentence !== null);
if (missing.length > 0) {
  process.stderr.write(`${missing.join("\n")}\n`);
  process.exit(3);
}

// Removes the reports of an earlier run.
for (const reports of reportFolders) rmSync(reports, { recursive: true, force: true });
const startMs = Date.now();
const maven = run("mvn", ["-B", "-ntp", "-f", join(folder, "..", "pom.xml"), "verify"], {
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
  return `The Java SDK and its Spring Boot starter need JDK ${oldestJava} or later. Install one, such as Debian's openjdk-17-jdk-headless or from https://adoptium.net, and add it to PATH or set JAVA_HOME.`;
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
  const files = reportFolders
    .filter((reports) => existsSync(reports))
    .flatMap((reports) => readdirSync(reports).map((name) => join(reports, name)))
    .filter((file) => /^TEST-.*\.xml$/.test(basename(file)));
  if (process.argv[2] !== undefined) {
    mkdirSync(process.argv[2], { recursive: true });
    for (const file of files) copyFileSync(file, join(process.argv[2], basename(file)));
  }
  const texts = files.map((file) => readFileSync(file, "utf8"));
  const count = (pattern) => texts.reduce((sum, text) => sum + (text.match(pattern)?.length ?? 0), 0);
  return { tests: count(/<testcase /g), failed: count(/<(failure|error)[ >]/g), classes: files.length };
}
