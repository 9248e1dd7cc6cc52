import { afterEach, expect, jest, test } from "bun:test";
import { join } from "node:path";
import type { CountersignError, ValidateResult } from "../src/index.ts";
import { clientWith, key, revoked, valid } from "./fake-server.ts";

const daySeconds = 86_400;

afterEach(() => jest.useRealTimers());

/** Lets everything that is ready run. */
async function settle() {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

test.each([0, 0.5, -1, Number.NaN, 30 * daySeconds + 1, Number.POSITIVE_INFINITY, "60" as never])(
  "an interval of %p seconds is refused",
  (intervalSeconds) => {
    const { client } = clientWith([valid]);
    expect(() => client.watch(key, { intervalSeconds, onChange: () => undefined })).toThrow(
      "intervalSeconds",
    );
  },
);

test("an interval of 30 days waits 30 days", async () => {
  jest.useFakeTimers();
  const { client, requests } = clientWith([valid], { random: () => 1 });
  const watch = client.watch(key, { intervalSeconds: 30 * daySeconds, onChange: () => undefined });
  await watch.started;
  for (let day = 0; day < 32; day++) jest.advanceTimersByTime(daySeconds * 1_000);
  await settle();
  expect(requests.length).toBe(1);
  // The longest wait is 33 days, because of the jitter.
  for (let day = 0; day < 2; day++) jest.advanceTimersByTime(daySeconds * 1_000);
  await settle();
  expect(requests.length).toBe(2);
  watch.stop();
});

test("an empty key and a missing one are reported like any verdict", async () => {
  const { client, requests } = clientWith([valid]);
  for (const empty of ["", null, undefined]) {
    const results: ValidateResult[] = [];
    const onChange = (result: ValidateResult) => void results.push(result);
    const watch = client.watch(empty, { intervalSeconds: 60, onChange });
    await watch.started;
    watch.stop();
    expect(results.map(({ status, source }) => [status, source])).toEqual([["license_not_found", "local"]]);
  }
  expect(requests.length).toBe(0);
});

test("a callback that throws or rejects does not end the watch", async () => {
  jest.useFakeTimers();
  const errors: CountersignError[] = [];
  const changes: string[] = [];
  const failing = () => new Response("", { status: 403 });
  const { client } = clientWith([valid, revoked, failing, valid], { retries: 0 });
  const watch = client.watch(key, {
    intervalSeconds: 10,
    onChange: ({ status }) => {
      changes.push(status);
      if (changes.length === 1) throw new Error("no");
      return Promise.reject(undefined) as never;
    },
    onError: (error) => {
      errors.push(error);
      throw undefined;
    },
  });
  await watch.started;
  for (let turn = 0; turn < 3; turn++) {
    jest.advanceTimersByTime(12_000);
    await settle();
  }
  watch.stop();
  expect(changes).toEqual(["active", "revoked", "active"]);
  expect(errors.map(({ name }) => name)).toEqual(["ServerError"]);
});

test("a stopped watch reports nothing", async () => {
  const changes: unknown[] = [];
  const { client } = clientWith([valid]);
  const watch = client.watch(key, { intervalSeconds: 1, onChange: (result) => void changes.push(result) });
  watch.stop();
  await watch.started;
  expect(changes).toEqual([]);
});

test("a watch does not keep the process alive", async () => {
  const sdk = JSON.stringify(join(import.meta.dir, "../src/index.ts"));
  const program = `
    import { Countersign } from ${sdk};
    const client = new Countersign({ apiKey: "csk_test", baseUrl: "http://127.0.0.1:9" });
    await client.watch("", { intervalSeconds: 2_592_000, onChange: () => process.stdout.write("reported") }).started;`;
  const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe", stderr: "inherit" });
  expect(await new Response(child.stdout).text()).toBe("reported");
  expect(await child.exited).toBe(0);
});
