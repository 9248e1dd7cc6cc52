import { readConfig } from "../../apps/server/base/config.ts";
import { withStore } from "../../apps/server/cli/with-store.ts";
import { createExamples } from "../../apps/server/features/demo/examples.ts";
import { addPortalCustomer, populate } from "../../apps/server/features/demo/populate.ts";
import { seededRandom } from "../support/seeded-random.ts";

/** What `countersign demo` loads, with the same license keys every time, because pages show them. */
const loaded = await withStore(readConfig(process.env), async (store) => {
  const random = seededRandom(1);
  const products = await populate(store, (count) => Uint8Array.from({ length: count }, () => random() * 256));
  await createExamples(store, products);
  const customer = await addPortalCustomer(store, products);
  const apiKeys = Object.fromEntries([...products].map(([role, { apiKey }]) => [role, apiKey]));
  return { customer, apiKeys };
});
process.stdout.write(JSON.stringify(loaded));
