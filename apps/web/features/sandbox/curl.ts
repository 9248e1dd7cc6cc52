/** The command that validates a license key of the sandbox. */
export function curlOf(server: string, apiKey: string, licenseKey: string): string {
  return [
    `curl -i -X POST ${server}/api/v1/validate \\`,
    `  -H 'Authorization: Bearer ${apiKey}' \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d '${JSON.stringify({ license_key: licenseKey, version: "1.0.0" })}'`,
  ].join("\n");
}

/** The translation of what a fixed license key means: `meaning.active_new_ip`. */
export function meaningKey(licenseKey: string): string {
  return `meaning.${licenseKey.replace("SANDBOX-", "").toLowerCase().replaceAll("-", "_")}`;
}
