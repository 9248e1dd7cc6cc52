import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { sqlite } from "../../../tests/support/databases.ts";
import { runHere } from "../../../tests/support/run-command.ts";
import { startServerProcess } from "../../../tests/support/server-process.ts";

setDefaultTimeout(60_000);

let other: Server;
let otherPort: string;
let respond: (write: (status: number, text: string) => void) => void;

beforeAll(async () => {
  other = createServer((_, response) => respond((status, text) => response.writeHead(status).end(text)));
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  otherPort = String((other.address() as AddressInfo).port);
});
afterAll(() => other.closeAllConnections());
afterAll(() => other.close());

test("a running server is healthy, and one that was stopped is not", async () => {
  const { environment, remove } = await sqlite.makeEmpty();
  const server = await startServerProcess(environment);
  const settings = { ...environment, HOST: "0.0.0.0", PORT: String(new URL(server.url).port) };
  expect(await runHere(["health"], settings)).toEqual({ code: 0, stdout: "ready\n", stderr: "" });
  expect(await runHere(["health", "--live", "--json"], settings)).toEqual({
    code: 0,
    stdout: '{"healthy":true,"answer":"ok"}\n',
    stderr: "",
  });
  await server.stop();
  const { code, stdout, stderr } = await runHere(["health"], settings);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toStartWith(`No answer from 127.0.0.1, port ${settings.PORT}: `);
  expect(stderr).toEndWith("Start the server, or set HOST and PORT to those that it was started with.\n");
  await remove();
});

test("a server that is not ready is not healthy, and its answer is printed", async () => {
  respond = (write) => write(503, "not ready\n");
  expect(await runHere(["health"], { PORT: otherPort })).toEqual({
    code: 1,
    stdout: "",
    stderr: "not ready\n",
  });
});

test("a proxy for other machines is not asked", async () => {
  respond = (write) => write(200, "ready\n");
  const proxy = "http://127.0.0.1:1";
  expect(await runHere(["health"], { PORT: otherPort, HTTP_PROXY: proxy, http_proxy: proxy })).toMatchObject({
    code: 0,
  });
});

test("another server's long answer is cut off", async () => {
  respond = (write) => write(200, "x".repeat(1_000_000));
  const stderr = `No answer from 127.0.0.1, port ${otherPort}: its answer is too long\n`;
  expect(await runHere(["health"], { PORT: otherPort })).toEqual({ code: 1, stdout: "", stderr });
});
