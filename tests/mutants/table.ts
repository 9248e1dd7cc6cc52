import { dashboard } from "./faults/dashboard.ts";
import { databases } from "./faults/databases.ts";
import { personalData } from "./faults/personal-data.ts";
import { licenseQueries } from "./faults/queries-licenses.ts";
import { peopleQueries } from "./faults/queries-people.ts";
import { rules } from "./faults/rules.ts";
import { sdks } from "./faults/sdks.ts";
import { server } from "./faults/server.ts";
import type { Fault } from "./faults-in.ts";

const areas: Readonly<Record<string, readonly Fault[]>> = {
  rules,
  databases,
  queries: [...licenseQueries, ...peopleQueries],
  server,
  "personal data": personalData,
  SDKs: sdks,
  dashboard,
};

export const faults: readonly Fault[] = Object.values(areas).flat();

export function areaOf(fault: Fault): string {
  return Object.entries(areas).find(([, list]) => list.includes(fault))?.[0] ?? "";
}
