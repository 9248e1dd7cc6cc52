/**
 * `party.ts <JSON settings>`: opens connections that use as much of a server as they can, prints a line, and holds on
 * until it is killed or a minute is over. Uses only loopback.
 */
import { connect, type Socket } from "node:net";

export interface PartySettings {
  readonly port: number;
  readonly count: number;
  /** What each connection sends. */
  readonly request: string;
  /** Whether it sends it again after each answer; otherwise it takes nothing. */
  readonly repeats: boolean;
}

const longestMs = 60_000;

if (import.meta.main) {
  const settings: PartySettings = JSON.parse(process.argv[2] ?? "{}");
  const sockets: Socket[] = [];
  for (let number = 0; number < settings.count; number += 1) sockets.push(await open(settings));
  process.stdout.write("open\n");
  setTimeout(() => process.exit(), longestMs);
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
