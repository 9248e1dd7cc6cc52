import type { TestedDatabase } from "./databases.ts";
import { openTestOrganization } from "./test-organization.ts";

/** An organization in a database of its own, for tests that read or change more than their organization. */
export async function openOwnOrganization(
  make: TestedDatabase["make"],
  options: Parameters<typeof openTestOrganization>[1] = {},
) {
  const { location, environment, remove } = await make();
  const organization = await openTestOrganization(location, options);
  const close = async () => {
    await organization.store.close();
    remove();
  };
  return { ...organization, location, environment, close };
}
