import { outcomeRows } from "../../tests/http/outcome-rows.ts";

/** A case for every verdict of the server. A platform-wide block is left out: it would affect all other cases. */
export function outcomeCases(): object[] {
  return outcomeRows
    .filter(({ block }) => block?.tier !== "platform")
    .map(({ says, status, sends = {}, expected = {} }) => ({
      name: says,
      answers: [{ real: { outcome: says } }],
      steps: [
        {
          validate: sends,
          expect: {
            result: {
              valid: status === "active",
              status,
              expires: null,
              ip_registered: null,
              ip_count: null,
              max_ips: null,
              version: null,
              version_valid: null,
              custom: null,
              ...expected,
              source: "server",
            },
          },
        },
      ],
    }));
}
