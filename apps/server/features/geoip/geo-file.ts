import { readFile, stat } from "node:fs/promises";
import type { Geo, Place } from "@countersign/store/rollups/geo";

/** What the files of MaxMind, DB-IP and IPinfo have in common. Files of countries have no location. */
interface GeoRecord {
  readonly country?: { readonly iso_code?: unknown } | string;
  readonly country_code?: unknown;
  readonly location?: { readonly latitude?: unknown; readonly longitude?: unknown };
}

/** How often it is checked whether the file was replaced. */
const checkEveryMs = 60_000;

/**
 * The operator's GeoIP file (MMDB), which is read completely, so that it can be replaced at any time. The new file is
 * used within a minute; if it cannot be read, the old one stays in use. An IP address whose record is damaged has no
 * place. It is loaded in threads that need it, and never in the validating thread.
 */
export class GeoFile {
  readonly #path: string;
  readonly #failed: (reason: string) => void;
  #geo: Geo | null = null;
  #version = "";
  #failure: string | null = null;
  #damage: string | null = null;
  #checkedAtMs = Number.NEGATIVE_INFINITY;
  #checking: Promise<void> | null = null;

  /** `failed` is told each reason once, until the file can be read again. */
  constructor(path: string, failed: (reason: string) => void = () => {}) {
    this.#path = path;
    this.#failed = failed;
  }

  /** What is loaded, without waiting. Checks the file from time to time. */
  get current(): Geo | null {
    if (performance.now() - this.#checkedAtMs >= checkEveryMs) void this.refresh();
    return this.#geo;
  }

  /** Why the file could not be read the last time, or which record of it; null if it could. */
  get failure(): string | null {
    return this.#failure ?? this.#damage;
  }

  /** Reads the file if it is new. */
  refresh(): Promise<void> {
    this.#checking ??= this.#read()
      .catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        if (reason !== this.#failure) this.#failed(reason);
        this.#failure = reason;
      })
      .finally(() => {
        this.#checkedAtMs = performance.now();
        this.#checking = null;
      });
    return this.#checking;
  }

  async #read(): Promise<void> {
    const { mtimeMs, size, ino } = await stat(this.#path);
    const version = `${mtimeMs} ${size} ${ino}`;
    if (version !== this.#version) {
      this.#geo = await openGeo(await readFile(this.#path), (reason) => this.#damaged(version, reason));
      this.#version = version;
      this.#damage = null;
    }
    this.#failure = null;
  }

  #damaged(version: string, reason: string): void {
    if (version !== this.#version || this.#damage !== null) return;
    this.#damage = reason;
    this.#failed(reason);
  }
}

/** Throws if it is no MMDB file. `damaged` is told about records that cannot be read. */
export async function openGeo(file: Buffer, damaged: (reason: string) => void = () => {}): Promise<Geo> {
  // Loaded only where a file is configured.
  const { Reader } = await import("mmdb-lib");
  const reader = new Reader<never>(file, { cache: boundedCache() });
  const find = reader.get as (ip: string) => GeoRecord | null;
  // Tells at once whether the file can be searched.
  find.call(reader, "192.0.2.1");
  return {
    hasPlaces: /city|enterprise|precision|location/i.test(reader.metadata.databaseType),
    placeOf: (ip) => {
      // An IPv6 network is where its addresses are. A file without IPv6 knows none of them.
      const address = ip.replace(/\/\d+$/, "");
      if (address.includes(":") && reader.metadata.ipVersion !== 6) return null;
      try {
        const record = find.call(reader, address);
        return record === null ? null : placeIn(record);
      } catch (error) {
        damaged(`The record of ${ip} is damaged: ${error instanceof Error ? error.message : String(error)}`);
        return null;
      }
    },
  };
}

const maxCached = 20_000;

/** Reading a record of a city with its names takes long, and few records cover most IP addresses. */
function boundedCache() {
  const values = new Map<string | number, unknown>();
  return {
    get: (key: string | number) => values.get(key),
    set: (key: string | number, value: unknown) => {
      if (values.size >= maxCached) values.clear();
      values.set(key, value);
    },
  };
}

function placeIn({ country, country_code: code, location }: GeoRecord): Place {
  const name = typeof country === "object" ? country.iso_code : (code ?? country);
  const { latitude, longitude } = location ?? {};
  const hasCoordinates = typeof latitude === "number" && typeof longitude === "number";
  return {
    country: typeof name === "string" && countryCode.test(name) ? name.toUpperCase() : null,
    coordinates: hasCoordinates ? { latitude, longitude } : null,
  };
}

const countryCode = /^[a-z]{2}$/i;

/** One for each path and thread. */
const files = new Map<string, GeoFile>();

/** The file in this thread. Waits until it was read the first time. */
export async function loadedGeo(path: string | null): Promise<Geo | null> {
  if (path === null) return null;
  let file = files.get(path);
  if (file === undefined) {
    file = new GeoFile(path);
    files.set(path, file);
    await file.refresh();
  }
  return file.current;
}
