import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A relay in front of a port, whose connection can be cut, or refused as if nothing listened there. */
export type CuttableConnection = Awaited<ReturnType<typeof openCuttableConnection>>;

export async function openCuttableConnection(to: number) {
  const sockets = new Set<Socket>();
  let isCut = false;
  const relay = (from: Socket, into: Socket | null) => {
    sockets.add(from.on("error", () => {}));
    from.on("data", (bytes) => {
      if (!isCut) into?.write(bytes);
    });
    from.on("close", () => {
      if (!isCut) into?.destroy();
    });
  };
  const server = createServer((near) => {
    const far = isCut ? null : connect(to, "127.0.0.1");
    relay(near, far);
    if (far !== null) relay(far, near);
  });
  const listen = (at: number) =>
    new Promise<void>((resolve) => server.listen(at, "127.0.0.1", () => resolve()));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const drop = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  return {
    port,
    /** The same server through the relay. */
    through: (url: string) => Object.assign(new URL(url), { port: String(port) }).href,
    /** Bytes disappear without an error from now on. */
    cut: () => {
      isCut = true;
    },
    mend: () => {
      // Connections that lost bytes are unusable.
      drop();
      isCut = false;
    },
    /** Ends all connections and accepts no more. */
    refuse: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        drop();
      }),
    accept: async () => {
      if (!server.listening) await listen(port);
    },
    close: () => {
      drop();
      server.close();
    },
  };
}
