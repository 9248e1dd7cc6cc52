import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";

/** An IP address at which other machines probably reach this one; null if it has none. */
export function ownIp(
  interfaces: NodeJS.Dict<readonly NetworkInterfaceInfo[]> = networkInterfaces(),
): string | null {
  const external = Object.values(interfaces)
    .flatMap((each) => each ?? [])
    // An address that is valid only on its own link needs the name of an interface.
    .filter(({ internal, address }) => !internal && !/^(?:169\.254\.|fe[89ab])/i.test(address));
  const preferred = external.find(({ family }) => family === "IPv4") ?? external[0];
  return preferred?.address ?? null;
}

/** Whether only programs on this machine reach a server at this host. */
export function isSameMachine(host: string): boolean {
  return host === "localhost" || host === "[::1]" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
