import { OperatorProblem } from "../problem.ts";
import type { Command } from "./command.ts";
import { listen } from "./events-listen.ts";
import { trigger } from "./events-trigger.ts";

export const events: Command = {
  name: "events",
  summary: "Pass events on to your own machine, or make some to try things out.",
  help: `countersign events listen --forward URL [options]

Passes the events of an organization on to a program on this machine, signed as they would be on the way to an endpoint,
until you end it with Ctrl-C. It needs nothing but the address of the server and an access token.

  --forward URL        where to send them, such as http://localhost:4000/webhooks
  --organization ID    whose events
  --url URL            the server (COUNTERSIGN_URL, or http://127.0.0.1:3000)
  --token TOKEN        an access token with licenses:view (COUNTERSIGN_TOKEN)
  --type TYPE          only these; may be given several times
  --secret whsec_…     sign with this secret (a new one, which is printed)
  --count N            end after so many
  --json               print one JSON object for each event

countersign events trigger TYPE --organization ID [options]

Writes an event as if it had happened, straight into the database. It goes to the endpoints that want it and to whoever
listens; its data says test: true, and nothing else changes.

  --organization ID    whose event
  --license ID         about this license (the newest one)
  --json               print one JSON object: id, type
`,
  async run(words, environment) {
    const [what, ...rest] = words;
    if (what === "listen") return listen(rest, environment);
    if (what === "trigger") return trigger(rest, environment);
    throw new OperatorProblem("Say listen or trigger. Run countersign events --help to see what they do.");
  },
};
