import { request } from "node:http";
import { readConfig } from "../base/config.ts";
import { reasonOf } from "../base/log.ts";
import { type Command, printJson, readOptions } from "./command.ts";

const timeoutMs = 5_000;

/** For health checks of containers, whose images have no curl. */
export const health: Command = {
  name: "health",
  help: `countersign health [--live] [--json]

Asks the server that runs with the same settings on this machine, and prints its answer. The exit code is 0 if it can
answer validations, and 1 if it cannot or does not respond within five seconds. For health checks.

  --live   only ask whether the process runs, whatever the state of its database
  --json   print one JSON object: healthy, answer
`,
  async run(args, environment) {
    const { values } = readOptions("health", args, { live: { type: "boolean" }, json: { type: "boolean" } });
    const { host, port } = readConfig(environment);
    const path = values.live === true ? "/healthz" : "/readyz";
    const { isHealthy, answer } = await ask(reachable(host), port, path);
    if (values.json === true) printJson({ healthy: isHealthy, answer });
    else (isHealthy ? process.stdout : process.stderr).write(`${answer}\n`);
    return isHealthy ? 0 : 1;
  },
};

/** An address for every interface, such as 0.0.0.0, cannot be connected to everywhere. */
function reachable(host: string): string {
  const address = host.replace(/^\[(.*)\]$/, "$1");
  if (address === "0.0.0.0") return "127.0.0.1";
  return address === "::" ? "::1" : address;
}

/** Nothing listens there. */
function hintFor(error: Error): string {
  const isRefused = "code" in error && error.code === "ECONNREFUSED";
  return isRefused ? ". Start the server, or set HOST and PORT to those that it was started with." : "";
}

/** Directly, because the settings of a proxy are for requests to other machines. */
function ask(host: string, port: number, path: string): Promise<{ isHealthy: boolean; answer: string }> {
  return new Promise((resolve) => {
    const fail = (error: Error) =>
      resolve({
        isHealthy: false,
        answer: `No answer from ${host}, port ${port}: ${reasonOf(error)}${hintFor(error)}`,
      });
    const call = request({ host, port, path, agent: false }, (response) => {
      response.setEncoding("utf8");
      let answer = "";
      response.on("data", (part: string) => {
        // Another server may listen there.
        if (answer.length < 1_000) answer += part;
        else response.destroy(new Error("its answer is too long"));
      });
      response.on("error", fail);
      response.on("end", () => resolve({ isHealthy: response.statusCode === 200, answer: answer.trim() }));
    });
    call.on("error", fail);
    const timer = setTimeout(
      () => call.destroy(new Error(`it took longer than ${timeoutMs / 1_000} seconds`)),
      timeoutMs,
    );
    call.on("close", () => clearTimeout(timer));
    call.end();
  });
}
