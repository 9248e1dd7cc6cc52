import { sandboxLicenses } from "@countersign/domain/sandbox/license-keys";
import { reasonOf } from "../base/log.ts";
import { OperatorProblem } from "../base/operator-problem.ts";
import { stopRequested } from "../base/stop-request.ts";
import {
  sandboxServerKey,
  sandboxServerProductId,
  sandboxServerSecret,
  serveSandbox,
} from "../threads/serve-sandbox.ts";
import { type Command, printJson, printLines, readOptions } from "./command.ts";

const defaultPort = 4010;

export const sandbox: Command = {
  name: "sandbox",
  help: `countersign sandbox [--port <number>] [--host <address>] [--signed] [--json]

Serves POST /api/v1/validate and GET /api/v1/license/{key} for one made-up product with a fixed test API key. Each of the
fixed license keys has its outcome, such as SANDBOX-ACTIVE and SANDBOX-REVOKED. Nothing is stored. Ends with Ctrl-C.

  --port <number>    the port; ${defaultPort} by default, 0 for any that is free
  --host <address>   the address to listen on; 127.0.0.1 by default
  --signed           sign responses, as a product with signed responses does
  --json             print one JSON object: url, api_key, product_id, signing_secret, license_keys
`,
  async run(args) {
    const { values } = readOptions("sandbox", args, {
      port: { type: "string" },
      host: { type: "string" },
      signed: { type: "boolean" },
      json: { type: "boolean" },
    });
    const host = values.host ?? "127.0.0.1";
    const isSigned = values.signed === true;
    const server = start(host, readPort(values.port), isSigned);
    const url = `http://${host.includes(":") ? `[${host}]` : host}:${server.port}`;
    if (values.json === true)
      printJson({
        url,
        api_key: sandboxServerKey.key,
        product_id: sandboxServerProductId,
        signing_secret: isSigned ? sandboxServerSecret : null,
        license_keys: sandboxLicenses.map(({ licenseKey }) => licenseKey),
      });
    else
      printLines([
        `The sandbox is at ${url}`,
        `API key: ${sandboxServerKey.key}`,
        ...(isSigned
          ? [`Product ID: ${sandboxServerProductId}`, `Signing secret: ${sandboxServerSecret}`]
          : []),
        `License keys: ${sandboxLicenses.map(({ licenseKey }) => licenseKey).join(", ")}`,
        "Press Ctrl-C to stop.",
      ]);
    await stopRequested();
    await server.stop();
    return 0;
  },
};

function start(host: string, port: number, isSigned: boolean) {
  try {
    return serveSandbox({ host, port, isSigned });
  } catch (cause) {
    throw new OperatorProblem(
      `The sandbox cannot listen on ${host}, port ${port}: ${reasonOf(cause)}. Choose others with --host and --port.`,
      { cause },
    );
  }
}

function readPort(text = String(defaultPort)): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new OperatorProblem(`--port must be a whole number from 0 to 65535, not "${text}".`);
}
