// A minimal JSON server on Bun, the baseline for Countersign.
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const body = (await request.json()) as { license_key?: string };
    return Response.json({ valid: true, status: "active", license_key: body.license_key });
  },
});
process.stdout.write(`{"port":${server.port}}\n`);
