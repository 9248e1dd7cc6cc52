/**
 * A load generator for machines without wrk, and for a fixed rate, which wrk does not support. Runs in its own process:
 * `load-generator.ts <JSON settings>` prints one JSON line. It stops after the given duration, and uses only loopback.
 */
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";

interface Settings {
  readonly port: number;
  readonly apiKey: string;
  readonly keysFile: string;
  readonly connections: number;
  readonly seconds: number;
  /** Total requests per second; null for as many as possible. */
  readonly rate: number | null;
}

const settings = JSON.parse(process.argv[2] ?? "{}") as Settings;
const keys = readFileSync(settings.keysFile, "utf8").trim().split("\n");
const latenciesMs: number[] = [];
let failed = 0;
const startedMs = performance.now();
const endMs = startedMs + settings.seconds * 1000;

await Promise.all(Array.from({ length: settings.connections }, (_, index) => runConnection(index)));
latenciesMs.sort((a, b) => a - b);
const elapsedSeconds = (performance.now() - startedMs) / 1000;
process.stdout.write(
  `${JSON.stringify({
    requestsPerSecond: latenciesMs.length / elapsedSeconds,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
    failed,
  })}\n`,
);

function percentile(of: number): number {
  return latenciesMs[Math.min(latenciesMs.length - 1, Math.floor(latenciesMs.length * of))] ?? 0;
}

/** One connection: sends a request, waits for the whole response, and repeats at the given rate. */
async function runConnection(index: number): Promise<void> {
  const socket = connect(settings.port, "127.0.0.1");
  socket.setNoDelay(true);
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  const intervalMs = settings.rate === null ? 0 : (settings.connections / settings.rate) * 1000;
  let dueMs = startedMs + (intervalMs * index) / settings.connections;
  while (performance.now() < endMs) {
    if (intervalMs > 0) {
      const waitMs = dueMs - performance.now();
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      // Timers are imprecise, so the latency is measured from the actual send time.
      dueMs += intervalMs;
    }
    const sentMs = performance.now();
    if (!(await sendRequest(socket))) failed += 1;
    latenciesMs.push(performance.now() - sentMs);
  }
  socket.destroy();
}

function sendRequest(socket: Socket): Promise<boolean> {
  const body = `{"license_key":"${keys[Math.floor(Math.random() * keys.length)]}","version":"1.2.3"}`;
  socket.write(
    `POST /api/v1/validate HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${settings.apiKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  return new Promise((resolve) => {
    let text = "";
    const onData = (chunk: Buffer) => {
      text += chunk.toString("latin1");
      const head = text.indexOf("\r\n\r\n");
      if (head < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (text.length < head + 4 + length) return;
      socket.off("data", onData);
      resolve(text.startsWith("HTTP/1.1 200"));
    };
    socket.on("data", onData);
  });
}
