/** One check: what was found, and what to do about it. */
export interface Check {
  readonly name:
    | "settings"
    | "runtime"
    | "clock"
    | "disk"
    | "folder"
    | "database"
    | "proxy"
    | "url"
    | "encryption"
    | "sign-up"
    | "geoip"
    | "audit-log"
    | OutsideCheckName;
  readonly state: "ok" | "warning" | "problem";
  readonly message: string;
  /** Null if there is nothing to do. */
  readonly action: string | null;
}

/** The checks from outside. Programs read these names, so they stay as they are. */
type OutsideCheckName =
  | "reachable"
  | "certificate"
  | "redirect"
  | "origin"
  | "caller-ip"
  | "forged-ip"
  | "validate"
  | "compression"
  | "streaming"
  | "body-size"
  | "cookies"
  | "headers"
  | "portal"
  | "metrics";

export function ok(name: Check["name"], message: string): Check {
  return { name, state: "ok", message, action: null };
}

export function warning(name: Check["name"], message: string, action: string): Check {
  return { name, state: "warning", message, action };
}

export function problem(name: Check["name"], message: string, action: string): Check {
  return { name, state: "problem", message, action };
}
