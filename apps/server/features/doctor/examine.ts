import { type Config, readConfig } from "../../base/config.ts";
import type { Environment } from "../../base/environment.ts";
import { reasonOf } from "../../base/log.ts";
import { OperatorProblem } from "../../base/operator-problem.ts";
import { type Check, ok, problem, warning } from "./check.ts";
import { checkDatabase } from "./database.ts";
import { checkDisk, checkFolder, checkRuntime, checkYear } from "./machine.ts";
import { checkAuditLogArchive, checkGeoip, checkProxy, checkUrl } from "./settings.ts";

/** Checks everything a running server depends on. Every failure becomes a finding, never an exception. */
export async function examine(environment: Environment): Promise<Check[]> {
  const nowMs = Date.now();
  const machine = [checkRuntime(process.versions), checkYear(nowMs)];
  const config = readSettings(environment);
  if (!("database" in config)) return [config, ...machine];
  const folder = await attempt("folder", async () => checkFolder(config, process.getuid?.() ?? null));
  // In an inaccessible folder, a database file looks as if it did not exist.
  const hidden = config.database.kind === "sqlite" && folder.some((check) => check.state === "problem");
  return [
    checkNames(config.unknownNames),
    ...machine,
    ...folder,
    ...(await attempt("disk", async () => checkDisk(config))),
    ...(hidden ? [] : await attempt("database", () => checkDatabase(config))),
    ...(await attempt("audit-log", () => checkAuditLogArchive(config))),
    ...(await attempt("geoip", () => checkGeoip(config.geoipFile))),
    ...(await attempt("url", async () => [checkUrl(config)])),
    ...(await attempt("proxy", async () => [checkProxy(config)])),
  ];
}

function checkNames(unknown: readonly string[]): Check {
  if (unknown.length === 0) return ok("settings", "The settings are valid.");
  return warning(
    "settings",
    `The settings are valid, but these variables are none: ${unknown.join(", ")}. They have no effect.`,
    "Correct their names, if they are meant for Countersign. docs/operating/settings.md lists all settings.",
  );
}

function readSettings(environment: Environment): Config | Check {
  try {
    return readConfig(environment);
  } catch (error) {
    const fix = "Fix it in the environment and run doctor again for the other checks.";
    return problem("settings", error instanceof OperatorProblem ? error.message : reasonOf(error), fix);
  }
}

async function attempt(name: Check["name"], look: () => Promise<Check[]>): Promise<Check[]> {
  try {
    return await look();
  } catch (error) {
    return [
      problem(name, `This could not be checked: ${reasonOf(error)}`, "Report it if the reason is unclear."),
    ];
  }
}
