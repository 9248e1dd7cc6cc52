import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { ManagementAccess } from "./management-load.ts";

interface Party {
  readonly name: string;
  readonly settings: PartySettings;
}

/** Parties that each use as much of a server as they can. */
export function partiesAt(port: number, { organizationId, token }: ManagementAccess): readonly Party[] {
  const path = `/api/manage/v1/organizations/${organizationId}`;
  const get = (target: string) =>
    `GET ${target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  const wrong = JSON.stringify({ email: "nobody@example.com", password: "wrong" });
  const post = (target: string, length: number, body: string, more = "") =>
    `POST ${target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${more}\r\n${body}`;
  return [
    {
      name: "300 live views of one organization",
      settings: { port, count: 300, request: get(`${path}/requests/live`), repeats: false },
    },
    {
      name: "300 requests that wait for events",
      settings: {
        port,
        count: 300,
        request: get(`${path}/events?order=oldest&wait_seconds=20&type=license.revoked`),
        repeats: false,
      },
    },
    {
      name: "2,300 connections with rejected sign-ins",
      settings: {
        port,
        count: 2_300,
        request: post("/api/auth/sign-in/email", wrong.length, wrong),
        repeats: true,
      },
    },
    {
      name: "200 exports that nobody reads",
      settings: { port, count: 200, request: get(`${path}/licenses/export?format=csv`), repeats: false },
    },
    {
      name: "50 bodies that never arrive",
      settings: {
        port,
        count: 50,
        request: post("/api/stripe/webhook", 5_000, "{", "Stripe-Signature: t=1,v1=a\r\n"),
        repeats: false,
      },
    },
  ];
}

/** In another process. Resolves when all of its connections are open. */
export async function startParty({ settings }: Party): Promise<{ stop(): void }> {
  const child: ChildProcess = spawn(process.execPath, [import.meta.path, JSON.stringify(settings)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (child.stdout !== null) await once(child.stdout, "data");
  return { stop: () => void child.kill() };
}

/** How long each of this many requests of someone else takes, in milliseconds, sorted. */
export async function othersMs(port: number, { organizationId, token }: ManagementAccess, count: number) {
  const headers = { authorization: `Bearer ${token}` };
  const urls = ["/", `/api/manage/v1/organizations/${organizationId}`];
  const took: number[] = [];
  for (let number = 0; number < count; number += 1) {
    const startMs = performance.now();
    const response = await fetch(`http://127.0.0.1:${port}${urls[number % 2]}`, { headers });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`A request of someone else got ${response.status}.`);
    took.push(performance.now() - startMs);
  }
  return took.sort((a, b) => a - b);
}

interface PartySettings {
  readonly port: number;
  readonly count: number;
  /** What each connection sends. */
  readonly request: string;
  /** Whether it sends it again after each answer; otherwise it takes nothing. */
  readonly repeats: boolean;
}

const maxMs = 60_000;

/**
 * `parties.ts <JSON settings>`: opens connections that use as much of a server as they can, prints a line, and holds on
 * until it is killed or a minute is over. Uses only loopback.
 */
if (import.meta.main) {
  const settings: PartySettings = JSON.parse(process.argv[2] ?? "{}");
  const sockets: Socket[] = [];
  for (let number = 0; number < settings.count; number += 1) sockets.push(await open(settings));
  process.stdout.write("open\n");
  setTimeout(() => process.exit(), maxMs);
}

function open({ port, request, repeats }: PartySettings): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(request);
      if (repeats) socket.on("data", () => socket.write(request));
      else socket.pause();
      resolve(socket);
    });
    socket.on("error", reject);
  });
}
