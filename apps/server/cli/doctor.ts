import type { Check } from "../features/doctor/check.ts";
import { examine } from "../features/doctor/examine.ts";
import { type Command, printJson, printLines, readOptions } from "./command.ts";

export const doctor: Command = {
  name: "doctor",
  summary: "Check settings, database, clock, disk and proxy, and suggest fixes.",
  help: `countersign doctor [--json]

Checks everything the server depends on, and says what is wrong and how to fix it. Changes nothing, and can run while the
server runs. The exit code is 1 if there is a problem, and 0 if there are only warnings.

  --json   print one JSON object: healthy, and checks with name, state (ok, warning, problem), message, action
`,
  async run(args, environment) {
    const { values } = readOptions("doctor", args, { json: { type: "boolean" } });
    const checks = await examine(environment);
    const problems = checks.filter((check) => check.state === "problem").length;
    const warnings = checks.filter((check) => check.state === "warning").length;
    if (values.json === true) printJson({ healthy: problems === 0, checks });
    else printLines([...checks.flatMap(describe), "", conclusion(problems, warnings)]);
    return problems === 0 ? 0 : 1;
  },
};

function describe({ name, state, message, action }: Check): string[] {
  const margin = `${state.padEnd(8)} ${name.padEnd(11)}`;
  return [`${margin}${message}`, ...(action === null ? [] : [`${" ".repeat(margin.length)}${action}`])];
}

function conclusion(problems: number, warnings: number): string {
  if (problems > 0) return `${counted(problems, "problem")} to fix before you can rely on the server.`;
  if (warnings > 0) return `No problems, ${counted(warnings, "warning")} to consider.`;
  return "Everything is fine.";
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
