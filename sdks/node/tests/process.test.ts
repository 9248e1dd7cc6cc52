import { expect, test } from "bun:test";
import { join } from "node:path";

/** Runs a program that uses the client, on Node.js conditions: an unhandled rejection ends the process. */
async function run(program: string): Promise<{ code: number; output: string }> {
  const source = JSON.stringify(join(import.meta.dir, "../src/index.ts"));
  const text = `
    import { Countersign } from ${source};
    const broken = () => { throw new Error("no"); };
    const rejecting = () => Promise.reject(undefined);
    const base = { apiKey: "csk_test", baseUrl: "http://127.0.0.1:9", retries: 0 };
    ${program}`;
  const child = Bun.spawn([process.execPath, "--unhandled-rejections=strict", "-e", text], {
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, output: output + errors };
}

test("callbacks that throw or reject never end the process", async () => {
  const result = await run(`
    for (const failing of [broken, rejecting]) {
      const logger = { debug: failing, info: failing, warn: failing, error: failing };
      const client = new Countersign({ ...base, logger, onRequest: failing, onResponse: failing });
      const options = { intervalSeconds: 1, onChange: failing, onError: failing };
      const watches = ["", "ABCD-EFGH-JKMN-PQRS"].map((key) => client.watch(key, options));
      for (const watch of watches) await watch.started;
      for (const watch of watches) watch.stop();
      await client.check("ABCD-EFGH-JKMN-PQRS");
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.stdout.write("still running");`);
  expect(result).toEqual({ code: 0, output: "still running" });
});

test("a cancelled call leaves no unhandled rejection", async () => {
  const result = await run(`
    const client = new Countersign({ ...base, fetch: (_url, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))) });
    const controller = new AbortController();
    const call = client.validate("ABCD-EFGH-JKMN-PQRS", { signal: controller.signal });
    controller.abort();
    await call.catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.stdout.write("still running");`);
  expect(result).toEqual({ code: 0, output: "still running" });
});

test("a watch does not keep the process alive", async () => {
  const result = await run(`
    const client = new Countersign(base);
    await client.watch("", { intervalSeconds: 2_592_000, onChange: () => process.stdout.write("reported") }).started;`);
  expect(result).toEqual({ code: 0, output: "reported" });
});
