import { execFileSync } from "node:child_process";
import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withClient } from "./postgres.ts";

/**
 * Copies a running server's data to a folder for a standby. The PostgreSQL of the tests comes without pg_basebackup,
 * so this does the same steps on one machine.
 */
export async function copyForStandby(primaryUrl: string, folder: string): Promise<void> {
  await withClient(primaryUrl, async (client) => {
    const { rows } = await client.query<{ data_directory: string }>("show data_directory");
    await client.query("select pg_backup_start('standby', true)");
    // Recovery from the log corrects what changes during the copy.
    execFileSync("cp", ["-a", rows[0]?.data_directory ?? "", folder]);
    const stop = "select labelfile from pg_backup_stop(wait_for_archive => false)";
    const stopped = await client.query<{ labelfile: string }>(stop);
    rmSync(join(folder, "postmaster.pid"));
    writeAsOwner(folder, "backup_label", stopped.rows[0]?.labelfile ?? "");
    writeAsOwner(folder, "standby.signal", "");
  });
  const { hostname, port, username, password } = new URL(primaryUrl);
  const followed = `host=${hostname} port=${port} user=${username} password=${password} application_name=standby`;
  appendFileSync(join(folder, "postgresql.auto.conf"), `primary_conninfo = '${followed}'\n`);
}

/** The server may run as another user than the tests. */
function writeAsOwner(folder: string, name: string, text: string): void {
  const path = join(folder, name);
  execFileSync("cp", ["-a", join(folder, "PG_VERSION"), path]);
  writeFileSync(path, text);
}
