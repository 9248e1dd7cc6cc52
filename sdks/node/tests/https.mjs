// A server with a certificate that nobody knows, asked by programs that were told to trust it and by others.
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
let asked = 0;

before(async () => {
  const key = join(folder, "key.pem");
  const made = spawnSync(
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
  assert.equal(made.status, 0, made.stderr);
  server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (_request, response) => {
    asked += 1;
    response.setHeader("connection", "close").end(JSON.stringify(answer));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
});

after(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What a program says that has such an environment from its start, which is when Node.js reads whom to trust. */
function said(environment) {
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

test("a certificate of one's own is trusted when it is given as an authority", async () => {
  const found = await said({ NODE_EXTRA_CA_CERTS: certificate });
  assert.deepEqual(found, { status: "active", error: null });
});

test("a certificate that nobody vouches for is a connection error, and the key does not leave", async () => {
  const before = asked;
  assert.deepEqual(await said({}), { status: null, error: "ConnectionError" });
  assert.equal(asked, before);
});
