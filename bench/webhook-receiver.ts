/** A receiver in its own process that accepts every webhook immediately. `GET /count` returns their number by path. */
const received = new Map<string, number>();

export const receiver = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/count") return Response.json(Object.fromEntries(received));
    await request.arrayBuffer();
    received.set(pathname, (received.get(pathname) ?? 0) + 1);
    return new Response(null, { status: 204 });
  },
});
process.stdout.write(`${JSON.stringify({ port: receiver.port })}\n`);
