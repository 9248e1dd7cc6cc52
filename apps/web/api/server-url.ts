/** How the URL that was opened relates to the server's own, from which alone it accepts changes. */
export function relationTo(serverUrl: string, opened: URL): "here" | "loopback" | "elsewhere" {
  const server = new URL(serverUrl);
  if (server.origin === opened.origin) return "here";
  const isSameServer =
    isLoopback(server.hostname) &&
    isLoopback(opened.hostname) &&
    server.protocol === opened.protocol &&
    server.port === opened.port;
  return isSameServer ? "loopback" : "elsewhere";
}

/** Where the page that is open has its place on the server. */
export function atServer(serverUrl: string, { pathname, search, hash }: Location = location): string {
  return new URL(serverUrl).origin + pathname + search + hash;
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname);
}
