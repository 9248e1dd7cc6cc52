import { connect, createServer, type Socket } from "node:net";

/** A relay in front of a port, whose connection can be cut. Bytes then disappear without an error. */
export interface CuttableConnection {
  readonly port: number;
  cut(): void;
  mend(): void;
  close(): void;
}

export async function openCuttableConnection(to: number): Promise<CuttableConnection> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) {
      // Received and dropped.
      near.on("error", () => {});
      pairs.add([near, near]);
      return;
    }
    const far = connect(to, "127.0.0.1");
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const [from, into] of [pair, [far, near] as const]) {
      from.on("data", (bytes) => {
        if (!isCut) into.write(bytes);
      });
      from.on("close", () => {
        if (!isCut) into.destroy();
      });
      from.on("error", () => {});
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const drop = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
    pairs.clear();
  };
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
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
