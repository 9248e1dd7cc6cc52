import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { webhookId } from "@countersign/domain/webhooks/signature";
import { openStore } from "@countersign/store/databases/open";
import { sealedColumns } from "@countersign/store/queries/data-key/sealed-values";
import { openDataKey } from "@countersign/store/secrets/data-key";
import { KeyRing } from "@countersign/store/secrets/key-ring";
import { Sealer } from "@countersign/store/secrets/sealer";
import type { Store } from "@countersign/store/store";
import { sql } from "kysely";
import { apiOf } from "../../../tests/support/api.ts";
import { databases, freshFolder } from "../../../tests/support/databases.ts";
import { emailRow } from "../../../tests/support/emails.ts";
import { openReceiver } from "../../../tests/support/receiver.ts";
import { runHere } from "../../../tests/support/run-command.ts";
import { spawnCountersign, startServerProcess } from "../../../tests/support/server-process.ts";
import { storedRow } from "../../../tests/support/stored-rows.ts";
import { openTestOrganization } from "../../../tests/support/test-organization.ts";
import { until } from "../../../tests/support/until.ts";
import { verifyBody } from "../../../tests/support/verify-body.ts";
import { allowLoopback, makeEndpoint, makeEvents } from "../../../tests/support/webhooks.ts";
import { tablesOf } from "../../../tests/support/whole-database.ts";

setDefaultTimeout(90_000);

const passphrase = randomBytes(32).toString("hex");
const nonce = "abcdefghijklmnop_-0123";

describe.each(databases)("rotations on $kind", ({ kind, make }) => {
  test("every secret is encrypted again while servers validate and deliver, also if the command is killed", async () => {
    const database = await make();
    const environment = { ...database.environment, COUNTERSIGN_ENCRYPTION_KEY: passphrase };
    const open = () => openStore(database.location, { encryptionKey: passphrase, durability: "standard" });
    const store = await open();
    const receiver = await openReceiver(() => ({ status: 200, body: "received" }));
    const org = await openTestOrganization(null, { store, settings: { signed_validation: 1 } });
    const { key } = await org.license();
    const headers = store.sealer.seal(Buffer.from(JSON.stringify({ "x-secret": "of the endpoint" })));
    await makeEndpoint(store, org.organizationId, receiver.url, { sealed_headers: headers });
    const { sealed_body: sealedEmail } = await addEmail(store);
    const servers = await Promise.all(
      Array.from({ length: kind === "postgres" ? 2 : 1 }, () =>
        startServerProcess({ ...environment, ...allowLoopback }),
      ),
    );
    const before = await storedKey(store);

    const failures: unknown[] = [];
    const events: string[] = [];
    let [validations, isBusy] = [0, true];
    const load = servers.map(async ({ url }) => {
      const api = apiOf(url, org.apiKey);
      while (isBusy) {
        const { text, body, status } = await api.validate(
          { license_key: key },
          { "x-countersign-nonce": nonce },
        );
        const parts = { productId: org.productId, licenseKeyAsSent: key, nonce, toleranceSeconds: 120 };
        const secretFor = () => org.signingKey.secret;
        const checked = verifyBody(text, {
          ...parts,
          secretFor,
          nowUnixSeconds: Math.floor(Date.now() / 1000),
        });
        if (!checked.ok || body.status !== "active") failures.push([status, text, checked]);
        validations += 1;
        if (validations % 20 === 0) events.push(...(await makeEvents(store, org.organizationId, 1)));
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    });
    const words = ["rotate-encryption-key", "--wait", "3", "--json"];
    const killed = spawnCountersign(words, environment);
    // In the first step on one database, and in the second on the other.
    const step = kind === "sqlite" ? "is stored" : "from now on";
    await until(`the new key ${step}`, () => killed.output().includes(step));
    killed.child.kill("SIGKILL");
    await killed.ended;
    const finished = await runHere(words, environment);
    isBusy = false;
    await Promise.all(load);
    expect(finished.code).toBe(0);
    expect(JSON.parse(finished.stdout)).toMatchObject({ data_key_replaced: true, unreadable: 0 });
    expect(failures).toEqual([]);
    expect(validations).toBeGreaterThan(100);
    const arrived = () => new Set(receiver.received.map(({ id }) => id));
    await until("every event is delivered", () => events.every((id) => arrived().has(webhookId(id))));
    expect(arrived().size).toBe(receiver.received.length);
    expect(receiver.received.every((one) => one.headers["x-secret"] === "of the endpoint")).toBe(true);

    const after = await storedKey(store);
    expect(after).toStartWith("sealed.");
    expect(after).not.toBe(before);
    const [former, current] = [before, after].map((text) => new Sealer(openDataKey(text, passphrase).key));
    const values = await sealedValues(store);
    expect(new Set(values.map(({ place }) => place)).size).toBeGreaterThanOrEqual(7);
    for (const { place, value } of values) {
      expect([place, current?.open(value).length]).toEqual([place, expect.any(Number)]);
      expect(() => former?.open(value)).toThrow("cannot be decrypted");
    }
    const email = values.find(({ place }) => place === "outbox.sealed_body");
    expect(email?.value).not.toBe(sealedEmail);
    // A store that was open all the time, and a new one.
    const other = await open();
    for (const one of [store, other]) one.sealer.open(email?.value ?? "");
    await Promise.all([
      other.close(),
      store.close(),
      receiver.close(),
      ...servers.map((server) => server.stop()),
    ]);
    expect(servers.map(({ output }) => /"level":"error"/.test(output()))).not.toContain(true);
    database.remove();
  });

  test("another passphrase protects the same data key, and only it opens it at the next start", async () => {
    const database = await make();
    const protectedBy = (key: string) => ({ ...database.environment, COUNTERSIGN_ENCRYPTION_KEY: key });
    await runHere(["setup", "--organization", "A", "--product", "B"], protectedBy(passphrase));
    const file = join(freshFolder(), "key");
    const words = ["rotate-encryption-key", "--new-key-file", file];
    const refused = async (message: RegExp) => {
      const { code, stderr } = await runHere(words, protectedBy(passphrase));
      expect([code, message.test(stderr)]).toEqual([1, true]);
    };
    await refused(/which cannot be read\.\n$/);
    writeFileSync(file, "short\n");
    await refused(/is too short\. It must have at least 16 characters\.\n$/);
    const newKey = randomBytes(32).toString("hex");
    writeFileSync(file, `${newKey}\n`);
    const changed = await runHere(words, protectedBy(passphrase));
    expect([changed.code, changed.stdout.includes(newKey)]).toEqual([0, false]);
    const former = await runHere(["recount"], protectedBy(passphrase));
    expect(former.stderr).toStartWith("COUNTERSIGN_ENCRYPTION_KEY is not the key");
    expect((await runHere(["recount"], protectedBy(newKey))).code).toBe(0);
    database.remove();
  });

  test("the list of encrypted columns is complete", async () => {
    const database = await make();
    const store = await openStore(database.location, { encryptionKey: null, durability: "standard" });
    const sealed = Object.entries(await tablesOf(store)).flatMap(([table, columns]) =>
      columns.filter((column) => column.startsWith("sealed_")).map((column) => `${table}.${column}`),
    );
    const listed = sealedColumns.flatMap(({ table, columns }) =>
      columns.map((column) => `${table}.${column}`),
    );
    expect(listed.sort()).toEqual([...sealed, "platform_state.value"].sort());
    await store.close();
    database.remove();
  });
});

test("a server that missed a whole rotation asks for the new key at the first secret that it cannot open", () => {
  const [first, second] = [randomBytes(32), randomBytes(32)];
  let asked = 0;
  const plain = (key: Uint8Array) => `plain.${Buffer.from(key).toString("base64url")}`;
  const ring: KeyRing = new KeyRing({ dataKey: first, storedDataKey: plain(first) }, null, () => {
    asked += 1;
    ring.reload({ dataKey: plain(second), rotation: null });
  });
  const early = ring.sealer.seal(Buffer.from("early"));
  const late = new Sealer(second).seal(Buffer.from("late"));
  expect(() => ring.sealer.open(late)).toThrow("cannot be decrypted");
  expect([asked, Buffer.from(ring.sealer.open(late)).toString()]).toEqual([1, "late"]);
  expect(Buffer.from(ring.sealer.open(early)).toString()).toBe("early");
  expect(new Sealer(second).open(ring.sealer.seal(Buffer.from("new")))).toEqual(Buffer.from("new"));
});

async function addEmail(store: Store) {
  const { addEmails } = await import("@countersign/store/queries/mail/outbox");
  const email = emailRow();
  await store.transaction((db) => addEmails(db, [email]));
  return storedRow(store.reads, "outbox", { id: email.id });
}

async function storedKey({ reads }: Store): Promise<string> {
  return (await storedRow(reads, "platform_state", { name: "data_key" })).value;
}

async function sealedValues({ reads }: Store) {
  const values: { place: string; value: string }[] = [];
  for (const { table, key, columns, where = "1 = 1" } of sealedColumns)
    for (const column of columns) {
      const { rows } = await sql<{ value: string | null }>`
        select ${sql.ref(column)} as value from ${sql.table(table)} where ${sql.raw(where)}
        order by ${sql.raw(key.join())} limit 5000`.execute(reads);
      for (const { value } of rows) if (value !== null) values.push({ place: `${table}.${column}`, value });
    }
  return values;
}
