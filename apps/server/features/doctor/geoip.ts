import { readFile } from "node:fs/promises";
import { reasonOf } from "../../base/log.ts";
import { openGeo } from "../geoip/geo-file.ts";
import { type Check, ok, warning } from "./check.ts";

const fix =
  "Put a complete file in MMDB format at this path, under another name first and then renamed. A running server uses it within a minute.";

/** Whether the GeoIP file can be read, and a sample of its records. */
export async function checkGeoip(path: string | null): Promise<Check[]> {
  if (path === null) return [];
  const damages: string[] = [];
  try {
    const geo = await openGeo(await readFile(path), (reason) => damages.push(reason));
    for (let part = 0; part < 4_096; part++) geo.placeOf(`${part >> 4}.${(part & 15) << 4}.0.1`);
  } catch (error) {
    return [warning("geoip", `The GeoIP file ${path} cannot be read: ${reasonOf(error)}`, fix)];
  }
  const [damage] = damages;
  if (damage === undefined) return [ok("geoip", `The GeoIP file ${path} can be read.`)];
  return [warning("geoip", `The GeoIP file ${path} is damaged. ${damage}`, fix)];
}
