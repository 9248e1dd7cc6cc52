import { handleOutputErrors, stopRequested } from "./stop-request.ts";

const [command = "serve"] = process.argv.slice(2);
const isServer = command === "serve";
// Only a server finishes its work when it is asked to stop.
if (isServer) void stopRequested();
handleOutputErrors(isServer);
