import { faultsIn } from "../faults-in.ts";

/** Storage that differs between SQLite and PostgreSQL, and what both share below the queries. */
export const databases = faultsIn(`
# SQLite
every batch has the whole daily quota on SQLite
  An organization validates without limit on a plan that it pays too little for.
  - grant(product.limit, used, product.uncounted)
  + grant(product.limit, 0, product.uncounted)
  packages/store/sqlite/store.test.ts tests/http/quota.test.ts tests/races/several-nodes.test.ts
a registered IP address takes no slot on SQLite
  A customer uses one license on any number of machines.
  - sql.raiseIpCount.run(nowMs, license.id);
  packages/store/sqlite/store.test.ts tests/races/several-nodes.test.ts
rejections of one batch do not count towards the ten that get an event on SQLite
  Anyone with a license key fills the seller's event list and webhooks from many IP addresses.
  - others.set(scope, before + 1);
  + others.set(scope, before);
  packages/store/sqlite/store.test.ts apps/server/features/events/prune-refusals.test.ts
a batch of validations that waited too long for the writer is carried out anyway on SQLite
  A caller that was answered 503 loses quota and takes an IP slot, and again with each retry.
  - isLate = true;
  -       reject(new StorageUnavailable(
  + reject(new StorageUnavailable(
  packages/store/sqlite/store.test.ts
the write lock is free between release and the worker that it was handed to
  Two threads write at the same time, and a validation fails or is lost.
  - Atomics.store(this.#state, 0, workerHolds);
  + Atomics.store(this.#state, 0, free);
  packages/store/sqlite/cross-thread-lock.test.ts packages/store/sqlite/two-threads.test.ts
two servers use the same SQLite folder
  An operator who starts the server twice gets two processes that each believe to be alone.
  - pragma locking_mode = exclusive; begin exclusive
  + pragma locking_mode = exclusive; begin
  packages/store/sqlite/store.test.ts tests/http/start-and-stop.test.ts
a missing database file is replaced by an empty installation
  After a failed move, an operator's customers are all answered that their API key is invalid.
  - ?.size ?? 0) > 0) return null;
  + ?.size ?? 0) >= 0) return null;
  packages/store/databases/open.test.ts
other users of the machine can read a backup of SQLite
  Any local user can read the license keys and customers of all organizations.
  - writeFileSync(copy, "", { mode: 0o600
  + writeFileSync(copy, "", { mode: 0o644
  apps/server/cli/backup.test.ts
a bulk insert on SQLite leaves out the last of an odd number of rows
  A seller is told that a license was created, and it does not exist.
  - size >= 1; size >>= 1
  + size > 1; size >>= 1
  packages/store/queries/versions/versions.test.ts tests/manage/license-import.test.ts
log entries that are written again after an unknown outcome are counted again on SQLite
  A seller sees refusals and uses of IP addresses that never happened.
  - if (changes === 0) return false;
  + if (changes === 0) return true;
  packages/store/sqlite/store.test.ts
a text index that is newer than the restored database is used
  After a restore, a seller's search does not find licenses that exist.
  - return this.state === known.get()?.value;
  + return known.get() !== undefined;
  packages/store/sqlite/text-index.test.ts
# PostgreSQL
a lowered daily limit takes counted requests back on PostgreSQL
  The usage that an operator bills from shrinks when a limit is lowered during the day.
  - used = u.used + greatest(0, least(excluded.used, excluded.daily_limit - u.used)),
  + used = u.used + least(excluded.used, excluded.daily_limit - u.used),
  packages/store/postgres/store.test.ts
a batch that fails after it was counted keeps its quota on PostgreSQL
  While the disk is full, callers lose quota for requests that were answered 503.
  - await this.#counters.giveBack(client, batch);
  packages/store/postgres/store.test.ts
licenses are not locked while nodes assign their IP slots
  Customers who call several nodes at once get more IP addresses than their license has.
  - any ($1::text[]) order by id for update skip locked
  + any ($1::text[]) order by id
  packages/store/postgres/store.test.ts tests/races/several-nodes.test.ts tests/http/pooler.test.ts
each new IP address starts the term of a license again on PostgreSQL
  A customer extends a trial for free by using it from another network.
  - const starts = "l.first_used_at is null and l.term_ms is not null";
  + const starts = "l.term_ms is not null";
  packages/store/postgres/store.test.ts
a license key with a separator shifts the other license keys of its batch on PostgreSQL
  One caller makes other organizations' validations get wrong verdicts.
  - if (question.keyMatch.includes(sql.separator)) continue;
  packages/store/postgres/store.test.ts
a request that waits for a locked license is counted at every attempt
  An organization's quota is used up while another session locks one license.
  - return this.#call.counted || this.#quota !== null;
  + return this.#call.counted;
  tests/faults/locked-rows.test.ts
licenses are not locked while the management API changes them on PostgreSQL
  Two changes of a license at the same moment overwrite each other, and its events contradict it.
  - order by id for update", [ids]
  + order by id", [ids]
  tests/races/transfers.test.ts tests/manage/portal-self-service.test.ts
nodes close parts of the request log at the same time, and add rows one after another
  Analytics count requests twice, or a node cannot write its log.
  - turn === "together" ? "_shared" : ""
  + turn === "together" ? "" : "_shared"
  packages/store/postgres/store.test.ts
a node never learns that another node dropped a day of the request log
  One late entry of that day stops the node's request log for good.
  - if (error.code === checkViolation) log.forget();
  packages/store/postgres/store.test.ts
roll-ups of many products lose one row in five hundred on PostgreSQL
  On a large installation, analytics of some products lack hours.
  - added.slice(from, from + rowsAtOnce)
  + added.slice(from, from + rowsAtOnce - 1)
  packages/store/postgres/store.test.ts
a validation connection to a host that became read-only is kept
  After a failover, validations are answered 503 until someone restarts the server.
  - return codeOf(error) === "25006";
  + return codeOf(error) === "25001";
  tests/http/outages.test.ts
nodes that start together migrate at the same time
  A rolling deployment of several nodes fails to start after an upgrade.
  - select pg_advisory_xact_lock($1)
  + select pg_advisory_xact_lock_shared($1)
  packages/store/postgres/store.test.ts
a PostgreSQL backup with fewer rows than its manifest says is restored
  An operator replaces the database with an incomplete copy and learns it from customers.
  - ) <> \${rows[table]}
  + ) > \${rows[table]}
  apps/server/cli/backup.test.ts
the doctor leaves its test table in PostgreSQL
  From the second run on, the doctor reports a database that cannot be written.
  - await client.query("rollback").catch(() => undefined);
  + await client.query("commit").catch(() => undefined);
  apps/server/cli/doctor.test.ts
# Both
a cached block list is used although it was changed since
  An IP address that a seller blocks can still validate until the server restarts.
  - entry !== undefined && entry.revision === revision
  + entry !== undefined && entry.revision <= revision
  packages/store/sqlite/store.test.ts packages/store/postgres/store.test.ts
the data key stays in clear text when an encryption key is set later
  An operator believes that the secrets in the database and its backups are protected.
  - rewritten: passphrase === null ? null : storedForm(key, passphrase)
  + rewritten: null
  packages/store/secrets/data-key.test.ts packages/store/sqlite/store.test.ts
all secrets are encrypted with the same nonce
  Whoever has a copy of the database can work out signing secrets from each other.
  - const nonce = randomBytes(12);
  + const nonce = randomBytes(12).fill(0);
  packages/store/secrets/data-key.test.ts
repeated rejections of an IP address in one batch are counted once
  The hourly summary tells a seller of far fewer rejections than there were.
  - noted.count += 1;
  packages/store/sqlite/store.test.ts apps/server/features/events/prune-refusals.test.ts
a deleted organization's requests since the last closed segment of the day stay
  IP addresses of a deleted organization's customers remain in the log of the operator.
  - "select day from request_days where day >= $1"
  + "select day from request_days where day > $1"
  apps/server/features/organizations/remove-due.test.ts
removing an organization deletes the IP sightings of everyone's licenses
  Other sellers lose the record of where their licenses were used.
  - ids.filter((id) => !existing.has(id)),
  + ids,
  apps/server/features/organizations/remove-due.test.ts
what small organizations leave of the request log is not shared by the others
  A busy organization loses requests although there is space for them.
  - left -= total;
  + left -= share;
  packages/store/request-log/cuts.test.ts
a day of the request log is dropped although some of its requests are in no segment yet
  Requests that nobody cut are lost, and appear in no figures.
  - if (open.length > 0) return false;
  packages/store/sqlite/store.test.ts packages/store/postgres/store.test.ts
sandbox requests are part of the roll-ups
  A seller's analytics show tests as if they were customers.
  - if (row.sandbox !== 0) continue;
  packages/store/rollups/roll-up.test.ts
`);
