/**
 * A load generator for machines without wrk, and for a fixed rate, which wrk cannot do. Runs in a process of its own:
 * `generator.ts <json settings>`; prints one JSON line. Bounded by its duration; loopback only.
 */
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";

interface Settings {
  readonly port: number;
  readonly apiKey: string;
  readonly keysFile: string;
  readonly connections: number;
  readonly seconds: number;
  /** Requests a second in all, or null for as many as the server takes. */
  readonly rate: number | null;
}

const settings = JSON.parse(process.argv[2] ?? "{}") as Settings;
const keys = readFileSync(settings.keysFile, "utf8").trim().split("\n");
const latenciesMs: number[] = [];
let failed = 0;
const startedMs = performance.now();
const endMs = startedMs + settings.seconds * 1000;

await Promise.all(Array.from({ length: settings.connections }, (_, index) => drive(index)));
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

/** One connection: sends, waits for the whole answer, sends again when it is its turn. */
async function drive(index: number): Promise<void> {
  const socket = connect(settings.port, "127.0.0.1");
  socket.setNoDelay(true);
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  const everyMs = settings.rate === null ? 0 : (settings.connections / settings.rate) * 1000;
  let dueMs = startedMs + (everyMs * index) / settings.connections;
  while (performance.now() < endMs) {
    if (everyMs > 0) {
      const waitMs = dueMs - performance.now();
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      // Timers are coarse: what counts is how long the server takes once it was asked.
      dueMs += everyMs;
    }
    const sentMs = performance.now();
    if (!(await exchange(socket))) failed += 1;
    latenciesMs.push(performance.now() - sentMs);
  }
  socket.destroy();
}

function exchange(socket: Socket): Promise<boolean> {
  const body = `{"license_key":"${keys[Math.floor(Math.random() * keys.length)]}","version":"1.2.3"}`;
  socket.write(
    `POST /api/v1/validate HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${settings.apiKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  return new Promise((resolve) => {
    let text = "";
    const hear = (chunk: Buffer) => {
      text += chunk.toString("latin1");
      const head = text.indexOf("\r\n\r\n");
      if (head < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (text.length < head + 4 + length) return;
      socket.off("data", hear);
      resolve(text.startsWith("HTTP/1.1 200"));
    };
    socket.on("data", hear);
  });
}
