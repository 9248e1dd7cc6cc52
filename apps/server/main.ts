// Must be loaded first: see `stopRequested`.
import "./base/handle-signals.ts";
import { runCommand } from "./cli/command-line.ts";

process.exitCode = await runCommand(process.argv.slice(2), process.env);
