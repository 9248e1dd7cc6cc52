import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { hostname, platform } from "node:os";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * An ID for this machine, the same at every start and different for every app: a hash of the system's own ID and `app`.
 * In containers, which share or lose that ID, set `COUNTERSIGN_DEVICE_ID` or pass `override`.
 */
export async function deviceId(app: string, override?: string): Promise<string> {
  const chosen = override ?? globalThis.process?.env.COUNTERSIGN_DEVICE_ID;
  if (chosen !== undefined && chosen !== "") return chosen.slice(0, 256);
  const machine = (await machineId().catch(() => null)) ?? `host:${hostname()}`;
  return createHash("sha256").update(`countersign.device.v1\n${app}\n${machine}`).digest("hex").slice(0, 32);
}

async function machineId(): Promise<string | null> {
  switch (platform()) {
    case "darwin": {
      const { stdout } = await run("ioreg", ["-rd1", "-c", "IOPlatformExpertDevice"]);
      return /"IOPlatformUUID" = "([^"]+)"/.exec(stdout)?.[1] ?? null;
    }
    case "win32": {
      const key = "HKLM\\SOFTWARE\\Microsoft\\Cryptography";
      const { stdout } = await run("reg", ["query", key, "/v", "MachineGuid"]);
      return /MachineGuid\s+REG_SZ\s+(\S+)/.exec(stdout)?.[1] ?? null;
    }
    default: {
      for (const path of ["/etc/machine-id", "/var/lib/dbus/machine-id"]) {
        const text = await readFile(path, "utf8").catch(() => "");
        if (text.trim() !== "") return text.trim();
      }
      return null;
    }
  }
}
