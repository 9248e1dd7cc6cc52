import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { hostname, platform } from "node:os";
import { promisify } from "node:util";
import { hex, utf8 } from "../bytes.ts";
import { environment } from "../options.ts";
import { sha256 } from "../sha256.ts";

const run = promisify(execFile);
const maxCharacters = 256;

/**
 * An ID for this machine, the same at every start and different for every app: a hash of the system's own ID and `app`.
 * In containers, which share or lose that ID, set `COUNTERSIGN_DEVICE_ID` or pass `override`.
 */
export async function deviceId(app: string, override?: string): Promise<string> {
  return deviceIdFrom(app, {
    machineIds: await machineIds().catch(() => []),
    hostname: hostname(),
    environment: environment("COUNTERSIGN_DEVICE_ID") ?? null,
    override: override ?? null,
  });
}

/** What a device ID depends on. */
export interface DeviceFacts {
  /** The system's own IDs, best first. */
  readonly machineIds: readonly (string | null)[];
  readonly hostname: string;
  readonly environment: string | null;
  readonly override: string | null;
}

export function deviceIdFrom(app: string, facts: DeviceFacts): string {
  const chosen = [facts.override, facts.environment]
    .map((text) => text?.trim() ?? "")
    .find((text) => text !== "");
  if (chosen !== undefined) return [...chosen].slice(0, maxCharacters).join("");
  const machine = facts.machineIds.map((text) => text?.trim() ?? "").find(isMachineId);
  const source = machine ?? `host:${facts.hostname}`;
  return hex(sha256(utf8(`countersign.device.v1\n${app}\n${source}`))).slice(0, 32);
}

/** Images of systems contain an empty file, or one that says so. */
function isMachineId(text: string): boolean {
  return text !== "" && text.toLowerCase() !== "uninitialized";
}

async function machineIds(): Promise<(string | null)[]> {
  switch (platform()) {
    case "darwin": {
      const { stdout } = await run("ioreg", ["-rd1", "-c", "IOPlatformExpertDevice"]);
      return [/"IOPlatformUUID" = "([^"]+)"/.exec(stdout)?.[1] ?? null];
    }
    case "win32": {
      const key = "HKLM\\SOFTWARE\\Microsoft\\Cryptography";
      const { stdout } = await run("reg", ["query", key, "/v", "MachineGuid"]);
      return [/MachineGuid\s+REG_SZ\s+(\S+)/.exec(stdout)?.[1] ?? null];
    }
    default:
      return Promise.all(
        ["/etc/machine-id", "/var/lib/dbus/machine-id"].map((path) =>
          readFile(path, "utf8").catch(() => null),
        ),
      );
  }
}
