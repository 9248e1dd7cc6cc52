import type { Body } from "../../api/client.ts";
import type { ChangeType, ShadowSearch } from "./search.ts";

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
