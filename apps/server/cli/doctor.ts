import { OperatorProblem } from "../base/operator-problem.ts";
import type { Check } from "../features/doctor/check.ts";
import { examine } from "../features/doctor/examine.ts";
import { type Command, printJson, printLines, readOptions } from "./command.ts";

export const doctor: Command = {
  name: "doctor",
  help: `countersign doctor [--url URL] [--json]

Checks everything the server depends on, and says what is wrong and how to fix it. Changes nothing, and can run while the
server runs. The exit code is 1 if there is a problem, and 0 if there are only warnings.

With --url it checks what callers get at this URL instead, from any machine and without settings: the certificate, the
redirect to HTTPS, which IP address the server sees and whether headers can forge it, streams, sizes of files, cookies,
security headers, the portal and the clock. It sends no credentials.

  --url URL   check this URL from outside, such as https://license.example.com
  --json      print one JSON object: healthy, and checks with name, state (ok, warning, problem), message, action
`,
  async run(args, environment) {
    const { values } = readOptions("doctor", args, { json: { type: "boolean" }, url: { type: "string" } });
    const checks = values.url === undefined ? await examine(environment) : await fromOutside(values.url);
    const problems = checks.filter((check) => check.state === "problem").length;
    const warnings = checks.filter((check) => check.state === "warning").length;
    if (values.json === true) printJson({ healthy: problems === 0, checks });
    else printLines([...checks.flatMap(describe), "", conclusion(problems, warnings)]);
    return problems === 0 ? 0 : 1;
  },
};

/** Loaded when it is needed: the other checks do without the contract. */
async function fromOutside(text: string): Promise<Check[]> {
  const url = URL.parse(text);
  if (
    url === null ||
    !["http:", "https:"].includes(url.protocol) ||
    url.pathname !== "/" ||
    url.search !== ""
  )
    throw new OperatorProblem(
      `--url is "${text}". It must be a URL without a path, such as https://license.example.com.`,
    );
  const { examineOutside } = await import("../features/doctor/outside.ts");
  return examineOutside({ url, httpPort: 80 });
}

function describe({ name, state, message, action }: Check): string[] {
  const margin = `${state.padEnd(8)} ${name.padEnd(12)}`;
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
