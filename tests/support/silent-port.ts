import { createServer, type Socket } from "node:net";

/** A port on loopback that accepts connections and never responds. */
export async function openSilentPort(): Promise<{
  readonly port: number;
  /** Resolves when a client has connected. */
  readonly connected: Promise<void>;
  close(): void;
}> {
  const sockets = new Set<Socket>();
  const connected = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    connected.resolve();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    connected: connected.promise,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
