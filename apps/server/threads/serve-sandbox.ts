import { CidrSet } from "@countersign/domain/ip/cidr";
import { generateTestKey } from "@countersign/domain/products/api-key";
import { sandboxSigningKey } from "@countersign/domain/sandbox/facts";
import type { SandboxCallerRow } from "@countersign/store/queries/sandbox/keys";
import { SandboxBatcher } from "../features/sandbox/batch.ts";
import type { CallQueue } from "../features/validate/batch.ts";
import { newRequestId, PublicApi } from "../features/validate/public-api.ts";
import { noSuchPath, wrongMethod } from "../http/answers.ts";

/** What the sandbox server answers for. Always the same, so that tests can contain it. */
export const sandboxServerKey = generateTestKey((count) => new Uint8Array(count));
export const sandboxServerProductId = "00000000-0000-7000-8000-000000000002";
export const sandboxServerSecret = Buffer.from(sandboxSigningKey(sandboxServerKey).secret).toString("hex");

interface SandboxServerOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Whether responses are signed, as those of a product that signs. */
  readonly isSigned: boolean;
}

interface SandboxServer {
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * The sandbox of one product as a server of its own, for the tests of apps: the two public endpoints, with the code
 * that answers them on a server, and without a database.
 */
export function serveSandbox({ host, port, isSigned }: SandboxServerOptions): SandboxServer {
  const observers = { count: () => {}, took: () => {}, record: () => {} };
  const row = product(isSigned);
  const queue = new SandboxBatcher(
    async (ids) => ({ rows: ids.includes(row.public_id) ? [row] : [], nowMs: Date.now() }),
    (_calls, cause) => process.stderr.write(`${cause instanceof Error ? cause.stack : cause}\n`),
  );
  const api = new PublicApi({ queue: noRealKeys, observers }, { queue, observers }, CidrSet.empty);
  const server = Bun.serve({
    hostname: host,
    port,
    development: false,
    reusePort: false,
    routes: {
      "/api/v1/validate": (request, server) =>
        request.method === "POST"
          ? api.validate(request, server.requestIP(request)?.address ?? null)
          : wrongMethod(newRequestId(), "POST"),
      "/api/v1/license/:key": (request, server) =>
        request.method === "GET" || request.method === "HEAD"
          ? api.lookup(request, server.requestIP(request)?.address ?? null, request.params.key)
          : wrongMethod(newRequestId(), "GET, HEAD"),
      "/healthz": () => new Response("ok\n"),
    },
    fetch: () => noSuchPath(newRequestId()),
  });
  return { port: server.port ?? port, stop: () => server.stop(true) };
}

/** A real API key has no place in a test. */
const noRealKeys: CallQueue = {
  size: 0,
  submit: (call) => call.finish({ tag: "unauthorized" }),
};

function product(isSigned: boolean): SandboxCallerRow {
  return {
    public_id: sandboxServerKey.publicId,
    api_key: sandboxServerKey.key,
    product_id: sandboxServerProductId,
    product_name: "Sandbox",
    organization_id: "00000000-0000-7000-8000-000000000003",
    organization_name: "Sandbox",
    ipv6_prefix: 64,
    custom_response_enabled: 1,
    custom_response: JSON.stringify({ plan: "pro", email: "{{customer.email}}" }),
    custom_response_on_refusal: 0,
    product_signs: isSigned ? 1 : 0,
    organization_signs: isSigned ? 1 : 0,
  };
}
