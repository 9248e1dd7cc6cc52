import { afterAll, expect, spyOn, test } from "bun:test";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deviceId, FileGraceStore } from "../src/device/index.ts";
import { clientWith, type fakeFetch, key, revoked, unreachable, valid } from "./fake-server.ts";

const root = mkdtempSync(join(tmpdir(), "countersign-grace-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const newFolder = () => mkdtempSync(join(root, "store-"));

function createClient(graceStore: FileGraceStore, ...answers: Parameters<typeof fakeFetch>) {
  const options = { retries: 0, cacheSeconds: 0, graceSeconds: 3_600, graceStore };
  return clientWith(answers, options).client;
}

const oldSeconds = Date.now() / 1_000 - 3_600;
/** Not old, however long the test takes. */
const newSeconds = Date.now() / 1_000 + 3_600;

test("two processes that change one entry at the same time lose nothing", async () => {
  const folder = newFolder();
  const device = JSON.stringify(join(import.meta.dir, "../src/device/index.ts"));
  const program = `
    import { deviceId, FileGraceStore } from ${device};
    const [folder, name] = process.argv.slice(-2);
    const store = new FileGraceStore(folder);
    // On a busy machine, the other process can hold the lock for too long.
    const lock = async () => store.lock("entry").catch(lock);
    for (let number = 0; number < 40; number++) {
      const release = await lock();
      await store.save("entry", (await store.load("entry") ?? "") + name + number + " ");
      await release();
    }`;
  const children = ["a", "b"].map((name) =>
    Bun.spawn([process.execPath, "-e", program, folder, name], { stderr: "inherit" }),
  );
  expect(await Promise.all(children.map((child) => child.exited))).toEqual([0, 0]);
  const parts = (await new FileGraceStore(folder).load("entry"))?.trim().split(" ") ?? [];
  for (const name of ["a", "b"])
    expect(parts.filter((part) => part.startsWith(name))).toEqual(
      Array.from({ length: 40 }, (_, number) => `${name}${number}`),
    );
  expect(readdirSync(folder)).toEqual(["entry.countersign"]);
}, 60_000);

test("clients that share a folder in one process do not collide", async () => {
  const folder = newFolder();
  const clients = Array.from({ length: 5 }, () =>
    createClient(new FileGraceStore(folder, { deviceId: "desk" }), valid, unreachable),
  );
  await Promise.all(clients.map((client, index) => client.validate(key, { version: `${index}` })));
  const results = clients.map((client, index) => client.validate(key, { version: `${index}` }));
  for (const result of await Promise.all(results)) expect(result.source).toBe("grace");
  expect(readdirSync(folder).length).toBe(1);
});

test("a folder that was copied to another machine grants nothing", async () => {
  const folder = newFolder();
  const copy = newFolder();
  const client = createClient(new FileGraceStore(folder, { deviceId: "desk" }), valid, unreachable);
  await client.validate(key);
  expect((await client.validate(key)).source).toBe("grace");
  cpSync(folder, copy, { recursive: true });
  const same = createClient(new FileGraceStore(copy, { deviceId: "desk" }), unreachable);
  const other = createClient(new FileGraceStore(copy, { deviceId: "laptop" }), unreachable);
  await expect(other.validate(key)).rejects.toThrow();
  expect((await same.validate(key)).source).toBe("grace");
});

test("a machine has the same ID at every call, and another per app", async () => {
  expect(await deviceId("app")).toBe(await deviceId("app"));
  expect(await deviceId("app")).not.toBe(await deviceId("other"));
  expect(await deviceId("app", " seat-7 ")).toBe("seat-7");
});

test("entries are bound to this machine unless the app says otherwise", async () => {
  const store = new FileGraceStore(newFolder());
  expect(await store.deviceId()).toMatch(/^[0-9a-f]{32}$/);
  expect(await store.deviceId()).toBe(await new FileGraceStore(newFolder()).deviceId());
});

test("a lock of another process prevents grants but no removal, and one of an ended process is removed", async () => {
  const folder = newFolder();
  const client = createClient(new FileGraceStore(folder), valid, unreachable, unreachable, revoked);
  await client.validate(key);
  const [entry = ""] = readdirSync(folder);
  const lock = join(folder, `${entry}.lock`);
  const lockSince = (seconds: number) => {
    writeFileSync(lock, "another process");
    utimesSync(lock, seconds, seconds);
  };
  lockSince(oldSeconds);
  expect((await client.validate(key)).source).toBe("grace");
  expect(readdirSync(folder)).toEqual([entry]);
  lockSince(newSeconds);
  await expect(client.validate(key)).rejects.toThrow();
  expect((await client.validate(key)).status).toBe("revoked");
  expect(readdirSync(folder)).toEqual([`${entry}.lock`]);
  expect(readFileSync(lock, "utf8")).toBe("another process");
}, 30_000);

test("temporary files of a process that ended are removed", async () => {
  const folder = newFolder();
  const names = ["0.countersign.1.tmp", "0.countersign.lock", "0.countersign", "notes.txt"];
  for (const name of names) {
    writeFileSync(join(folder, name), "");
    utimesSync(join(folder, name), oldSeconds, oldSeconds);
  }
  writeFileSync(join(folder, "0.countersign.2.tmp"), "");
  await createClient(new FileGraceStore(folder), valid).validate("WXYZ");
  const left = readdirSync(folder).sort();
  expect(left).toEqual(expect.arrayContaining(["0.countersign", "0.countersign.2.tmp", "notes.txt"]));
  expect(left.length).toBe(4);
});

test("a folder that cannot be created costs the grace period, not the verdict", async () => {
  const file = join(newFolder(), "file");
  writeFileSync(file, "");
  const client = createClient(new FileGraceStore(join(file, "folder")), valid, unreachable, revoked);
  expect((await client.validate(key)).valid).toBe(true);
  await expect(client.validate(key)).rejects.toThrow();
  expect((await client.validate(key)).status).toBe("revoked");
});

test("a full disk leaves no lock behind, and makes no call wait", async () => {
  const folder = newFolder();
  const client = createClient(new FileGraceStore(folder), valid);
  const file = await open(join(folder, "probe"), "w");
  const writing = spyOn(Object.getPrototypeOf(file), "writeFile").mockImplementation(() =>
    Promise.reject(Object.assign(new Error("no space left on device"), { code: "ENOSPC" })),
  );
  const startMs = performance.now();
  try {
    for (let call = 0; call < 3; call++) expect((await client.validate(key)).valid).toBe(true);
    expect(writing).toHaveBeenCalled();
  } finally {
    writing.mockRestore();
    await file.close();
  }
  expect(performance.now() - startMs).toBeLessThan(1_000);
  expect(readdirSync(folder)).toEqual(["probe"]);
  // As soon as there is space, entries are stored again.
  await client.validate(key);
  expect(readdirSync(folder).length).toBe(2);
});
