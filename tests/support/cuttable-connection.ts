import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A relay in front of a port, whose connection can be cut. Bytes then disappear without an error. */
export interface CuttableConnection {
  readonly port: number;
  cut(): void;
  mend(): void;
  close(): void;
}

export async function openCuttableConnection(to: number): Promise<CuttableConnection> {
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
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const drop = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => {
      isCut = true;
    },
    mend: () => {
      // Connections that lost bytes are unusable.
      drop();
      isCut = false;
    },
    close: () => {
      drop();
      server.close();
    },
  };
}
