import type { Body } from "../../api/client.ts";

export type Change = Body<"shadowProduct">["change"];

/** The input of the form. Every kind of change keeps its own value. */
export interface Draft {
  readonly type: ChangeType;
  readonly maxIps: number | string;
  readonly version: string;
  readonly cidr: string;
  readonly days: number;
}

export const dayChoices = [1, 7, 30, 90] as const;

export function firstDraft({ change = "max_ips", value = "" }: ShadowSearch): Draft {
  return {
    type: change,
    maxIps: change === "max_ips" && /^\d+$/.test(value) ? Number(value) : 1,
    version: change === "block_version" ? value : "",
    cidr: change === "block_ip" ? value : "",
    days: 30,
  };
}

/** The change to try; null while its value is missing. */
export function changeOf({ type, maxIps, version, cidr }: Draft): Change | null {
  switch (type) {
    case "max_ips":
      return typeof maxIps === "number" ? { type, max_ips: maxIps } : null;
    case "registration":
      return { type, registration: "off" };
    case "block_version":
      return version.trim() === "" ? null : { type, version: version.trim() };
    case "block_ip":
      return cidr.trim() === "" ? null : { type, cidr: cidr.trim() };
  }
}

/** The changes that can be tried. */
export const changeTypes = ["max_ips", "registration", "block_version", "block_ip"] as const;
export type ChangeType = (typeof changeTypes)[number];

/** What a link fills in. */
interface ShadowSearch {
  readonly change?: ChangeType | undefined;
  /** The limit, version or network. */
  readonly value?: string | undefined;
}

export function shadowSearch(search: Record<string, unknown>): ShadowSearch {
  // The router reads `3` and `2.1` as numbers.
  const value = typeof search.value === "number" ? String(search.value) : search.value;
  return {
    change: changeTypes.find((type) => type === search.change),
    value: typeof value === "string" && value !== "" ? value : undefined,
  };
}
