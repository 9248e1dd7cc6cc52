// A program that runs for weeks on a customer's machine: it checks its license when it starts, goes on for a week
// without a network, and stops working, but not running, when the license is taken away.
//
//   COUNTERSIGN_URL=… COUNTERSIGN_API_KEY=… node backup-agent.mjs <license key>
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { Countersign, deviceId, FileGraceStore } from "@countersign/node";

const folder = process.env.BACKUP_AGENT_HOME ?? join(homedir(), ".backup-agent");
const checkEverySeconds = Number(process.env.CHECK_EVERY_SECONDS ?? 3_600);
mkdirSync(folder, { recursive: true });

const licenseKey = process.argv[2] ?? keptKey();
if (licenseKey === null) {
  console.error("Start it once with your license key: node backup-agent.mjs <license key>");
  process.exit(2);
}

const countersign = new Countersign({
  version: "1.4.0",
  deviceId: await deviceId("backup-agent"),
  graceSeconds: 7 * 86_400,
  graceStore: new FileGraceStore(join(folder, "license")),
});

const { allowed, result, error } = await countersign.check(licenseKey);
if (!allowed) {
  console.error(result === null ? `The license could not be checked: ${error.message}` : refusal(result));
  process.exit(1);
}
writeFileSync(join(folder, "license-key"), licenseKey, { mode: 0o600 });

let isWorking = true;
const watch = countersign.watch(licenseKey, {
  intervalSeconds: checkEverySeconds,
  onChange: (now) => {
    if (now.valid === isWorking) return;
    isWorking = now.valid;
    console.log(isWorking ? "Licensed again. Backups go on." : `${refusal(now)} Backups are paused.`);
  },
});
const backups = setInterval(() => isWorking && backUp(), 1_000);
process.on("SIGTERM", () => {
  watch.stop();
  clearInterval(backups);
});
console.log(result.source === "grace" ? "Working without a network." : "Licensed. Backups begin.");

function keptKey() {
  try {
    return readFileSync(join(folder, "license-key"), "utf8").trim();
  } catch {
    return null;
  }
}

/** What the customer can do about it. Statuses that are not known here yet get the last sentence. */
function refusal({ status }) {
  const sentences = {
    license_not_found: "This license key does not exist. Check it for typing errors.",
    revoked: "This license was revoked. Write to support@example.com.",
    expired: "This license has expired. Renew it to go on.",
    ip_limit_reached: "This license is in use on as many machines as it allows.",
    version_not_allowed: "This license does not cover this version.",
  };
  return sentences[status] ?? `This license is not accepted (${status}).`;
}

function backUp() {
  // Here the program does what it is sold for.
}
