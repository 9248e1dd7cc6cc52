import { OperatorProblem } from "../base/operator-problem.ts";
import type { Command } from "./command.ts";
import { listen } from "./events-listen.ts";
import { trigger } from "./events-trigger.ts";

export const events: Command = {
  name: "events",
  summary: "Forward events to your own machine, or trigger test events.",
  help: `countersign events listen --forward URL [options]

Forwards an organization's events to a program on this machine, signed as they would be for an endpoint, until you press
Ctrl-C. It needs only the server's URL and an access token.

  --forward URL        where to send the events, such as http://localhost:4000/webhooks
  --organization ID    the organization
  --url URL            the server (COUNTERSIGN_URL, or http://127.0.0.1:3000)
  --token TOKEN        an access token with licenses:view (COUNTERSIGN_TOKEN)
  --type TYPE          only this type; can be repeated
  --secret whsec_…     sign with this secret (default: a new one, which is printed)
  --count N            stop after N events
  --json               print one JSON object for each event

countersign events trigger TYPE --organization ID [options]

Records an event as if it had happened, directly in the database. It is sent to subscribed endpoints and to events listen;
its data contains test: true, and nothing else changes.

  --organization ID    the organization
  --license ID         the license (default: the newest one)
  --json               print one JSON object: id, type
`,
  async run(words, environment) {
    const [what, ...rest] = words;
    if (what === "listen") return listen(rest, environment);
    if (what === "trigger") return trigger(rest, environment);
    throw new OperatorProblem(
      "Use events listen or events trigger. Run countersign events --help for details.",
    );
  },
};
