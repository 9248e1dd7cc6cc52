// A program that runs for weeks on a customer's machine. It validates its license at startup, keeps working for a week
// without a network, and pauses its work while the license is not valid.
//
//   COUNTERSIGN_URL=… COUNTERSIGN_API_KEY=… node backup-agent.mjs <license key>
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { Countersign } from "@countersign/node";
import { deviceId, FileGraceStore } from "@countersign/node/device";

const folder = process.env.BACKUP_AGENT_HOME ?? join(homedir(), ".backup-agent");
const checkEverySeconds = Number(process.env.CHECK_EVERY_SECONDS ?? 3_600);
const solvedInPortal = ["expired", "ip_limit_reached", "ip_not_registered"];
mkdirSync(folder, { recursive: true });

const licenseKey = process.argv[2] ?? storedKey();
if (licenseKey === null) {
  console.error("Start the program once with your license key: node backup-agent.mjs <license key>");
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
  console.error(
    result === null ? `The license could not be checked: ${error.message}` : rejectionMessage(result),
  );
  // Only for the customer who just typed the key: the URL contains it, and a later start may write to a log.
  if (process.argv[2] !== undefined && solvedInPortal.includes(result?.status))
    console.error(`You can solve this yourself: ${countersign.portalUrl(licenseKey)}`);
  process.exit(1);
}
writeFileSync(join(folder, "license-key"), licenseKey, { mode: 0o600 });

let isLicensed = true;
const watch = countersign.watch(licenseKey, {
  intervalSeconds: checkEverySeconds,
  onChange: (now) => {
    if (now.valid === isLicensed) return;
    isLicensed = now.valid;
    console.log(
      isLicensed
        ? "The license is valid again. Backups continue."
        : `${rejectionMessage(now)} Backups are paused.`,
    );
  },
});
const backups = setInterval(() => isLicensed && backUp(), 1_000);
process.on("SIGTERM", () => {
  watch.stop();
  clearInterval(backups);
});
console.log(
  result.source === "grace"
    ? "The license server is unreachable. Backups start in the grace period."
    : "Licensed. Backups start.",
);

function storedKey() {
  try {
    return readFileSync(join(folder, "license-key"), "utf8").trim();
  } catch {
    return null;
  }
}

/** Tells the customer what to do. Unknown statuses get the generic message. */
function rejectionMessage({ status }) {
  const messages = {
    license_not_found: "This license key does not exist. Check it for typos.",
    revoked: "This license was revoked. Contact support@example.com.",
    expired: "This license has expired. Renew it to continue.",
    ip_limit_reached: "This license is already in use on the maximum number of machines.",
    ip_not_registered: "This license does not cover this machine's IP address.",
    version_not_allowed: "This license does not cover this version.",
  };
  return messages[status] ?? `This license is not accepted (${status}).`;
}

function backUp() {
  // The product's own work goes here.
}
