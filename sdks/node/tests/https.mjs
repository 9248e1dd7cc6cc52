// A server with a self-signed certificate, called by programs that trust the certificate and by others.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

const folder = mkdtempSync(join(tmpdir(), "countersign-https-"));
const certificate = join(folder, "certificate.pem");
const answer = { valid: true, status: "active", expires: null, custom: null, signature: null };
let server;
let requestCount = 0;

before(async () => {
  const key = join(folder, "key.pem");
  const openssl = spawnSync(
    "openssl",
    [
      ...[
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "2",
      ],
      ...["-keyout", key, "-out", certificate],
      ...["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"],
    ],
    { encoding: "utf8" },
  );
  assert.equal(openssl.status, 0, openssl.stderr);
  server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (_request, response) => {
    requestCount += 1;
    response.setHeader("connection", "close").end(JSON.stringify(answer));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
});

after(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The result of a separate process, because Node.js reads trusted certificates from the environment only at startup. */
function checkInProcess(environment) {
  const program = `
    import { Countersign } from "@countersign/node";
    const { result, error } = await new Countersign().check("ABCD-EFGH-JKMN-PQRS");
    process.stdout.write(JSON.stringify({ status: result?.status ?? null, error: error?.name ?? null }));`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: import.meta.dirname,
    env: {
      PATH: process.env.PATH,
      COUNTERSIGN_URL: `https://127.0.0.1:${server.address().port}`,
      COUNTERSIGN_API_KEY: "csk_test",
      ...environment,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (part) => {
    text += part;
  });
  return new Promise((resolve) => child.on("close", () => resolve(JSON.parse(text))));
}

test("a self-signed certificate is trusted if NODE_EXTRA_CA_CERTS names it", async () => {
  const result = await checkInProcess({ NODE_EXTRA_CA_CERTS: certificate });
  assert.deepEqual(result, { status: "active", error: null });
});

test("an untrusted certificate is a connection error, and the API key is not sent", async () => {
  const before = requestCount;
  assert.deepEqual(await checkInProcess({}), { status: null, error: "ConnectionError" });
  assert.equal(requestCount, before);
});
