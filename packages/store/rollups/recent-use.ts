import type { Coordinates } from "./geo.ts";

/** From where a license was used on a day, as far as it is remembered. */
export interface LicenseUse {
  day: number;
  /** The first few. */
  ips: string[];
  devices: string[];
  lastIp: string;
  lastAt: number;
  /** The last one that is known. */
  lastPlace: {
    readonly coordinates: Coordinates;
    readonly country: string | null;
    readonly ip: string;
    readonly at: number;
  } | null;
}

const maxLicenses = 50_000;
/** Removed together, because removing one for each new license would take as long as adding it. */
const removedAtOnce = 5_000;

/**
 * From where licenses were used recently, in memory: most licenses are used from one place and with one device, and
 * then nothing is written. It is only a hint. What is forgotten, at a restart or because there are many licenses,
 * is noticed later.
 */
export class RecentUse {
  readonly #uses = new Map<string, LicenseUse>();

  of(licenseId: string): LicenseUse | undefined {
    return this.#uses.get(licenseId);
  }

  remember(licenseId: string, use: LicenseUse): void {
    if (this.#uses.size >= maxLicenses) this.#forgetSome();
    this.#uses.set(licenseId, use);
  }

  #forgetSome(): void {
    let left = removedAtOnce;
    for (const licenseId of this.#uses.keys()) {
      if (left-- === 0) return;
      this.#uses.delete(licenseId);
    }
  }
}
