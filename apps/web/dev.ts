import { join } from "node:path";
import { createServer } from "vite";

/** For whoever changes the dashboard: shows changes at once, and asks the server at port 3000 for the rest. */
const server = await createServer({
  configFile: join(import.meta.dirname, "vite.config.ts"),
  logLevel: "info",
});
await server.listen();
server.printUrls();
