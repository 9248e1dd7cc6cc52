import { join } from "node:path";
import { createServer } from "vite";

/** Serves the dashboard with live reload; API requests go to the server on port 3000. */
const server = await createServer({
  configFile: join(import.meta.dirname, "vite.config.ts"),
  logLevel: "info",
});
await server.listen();
server.printUrls();
