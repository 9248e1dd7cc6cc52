import { readConfig } from "../base/config.ts";
import { createExamples, type Example } from "../features/demo/examples.ts";
import { addPortalCustomer, populate } from "../features/demo/populate.ts";
import { type Command, printJson, printLines, readOptions } from "./command.ts";
import { lookupCurl, validateCurl } from "./curl.ts";
import { withStore } from "./with-store.ts";

export const demo: Command = {
  name: "demo",
  help: `countersign demo [--json]

Creates organizations, products and a few hundred licenses in every possible state, and prints a curl command for each
outcome of a validation, with what to expect, and how to sign in to the customer portal as one of the customers. The
organizations belong to the platform admin, or else to the user of the first account. Run it while the server runs,
on a database for testing: nothing removes the examples again. Running it twice creates them twice.

  --json   print one JSON array: outcome, description, curl, api_key, license_key, body for each example
`,
  async run(args, environment) {
    const { values } = readOptions("demo", args, { json: { type: "boolean" } });
    const config = readConfig(environment);
    const { examples, customer } = await withStore(config, async (store) => {
      const seededProducts = await populate(store);
      const examples = await createExamples(store, seededProducts);
      return { examples, customer: await addPortalCustomer(store, seededProducts) };
    });
    if (values.json === true) {
      printJson(
        examples.map((example) => ({
          outcome: example.outcome,
          description: example.description,
          curl: curlFor(config.url, example),
          api_key: example.apiKey,
          license_key: example.licenseKey,
          body: example.body,
        })),
      );
    } else {
      printLines([
        "# The examples are in the database. Paste any of these commands into a shell while the server runs.",
        ...examples.flatMap((example) => [
          "",
          `# ${example.outcome}: ${example.description}`,
          curlFor(config.url, example),
        ]),
        "",
        `# Customer portal: open ${config.portalUrl} and sign in as ${customer}.`,
        "# Without a mail server, the code is in the dashboard under Platform, Messages, Outbox.",
        "",
        "# Tests in CI: every product has a test API key and license keys for every outcome, on its page under Sandbox.",
      ]);
    }
    return 0;
  },
};

function curlFor(url: string, { apiKey, licenseKey, body }: Example): string {
  return body === null ? lookupCurl(url, apiKey, licenseKey) : validateCurl(url, apiKey, body);
}
