import { outcomeRows } from "../../tests/http/outcome-rows.ts";

/** Every verdict that the server can give. A block for the whole platform would be one for every other case too. */
export function outcomeCases(): object[] {
  return outcomeRows
    .filter(({ block }) => block?.tier !== "platform")
    .map(({ says, status, sends = {}, told = {} }) => ({
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
              ...told,
              source: "server",
            },
          },
        },
      ],
    }));
}
