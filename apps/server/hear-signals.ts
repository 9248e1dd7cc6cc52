import { stopRequested } from "./stop-request.ts";

const [command = "serve"] = process.argv.slice(2);
// Only a server finishes what it has begun when it is asked to stop.
if (command === "serve") void stopRequested();
