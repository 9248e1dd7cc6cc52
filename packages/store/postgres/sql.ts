import {
  maxDistinctIps,
  maxSingleEvents,
  maxSingleRegistrations,
} from "@countersign/domain/events/thresholds";
import { callerColumns, licenseDetailColumns, licenseFactsColumns, planJoin } from "../batches/caller.ts";
import { licenseRecordColumns } from "../batches/license-record.ts";
import { distribution } from "../tables/events.ts";

/** The statements of the hot path, each for a whole batch, prepared once per connection. */

/**
 * Identifies the callers; each row also has the time at which the batch is decided and the revision of the platform
 * block list.
 */
export const callers = {
  name: "callers",
  text: `select ${callerColumns}, s.id as signing_key_id, s.sealed_secret,
      moment.now_ms, platform.value::bigint as platform_revision
    from (select coalesce($2, ${nowMs()}) as now_ms) moment
    cross join unnest(${list("$1")}) as wanted (public_id)
    join product_api_keys k on k.public_id = wanted.public_id
    join products p on p.id = k.product_id
    join organizations o on o.id = p.organization_id
    ${planJoin}
    join platform_state platform on platform.name = 'ip_blocks_revision'
    left join lateral (
      select id, sealed_secret from product_signing_keys
      where product_id = p.id and p.signed_validation = 1 and active_from <= moment.now_ms
      order by active_from desc limit 1) s on true
    where k.expires_at is null or k.expires_at > moment.now_ms`,
};

/**
 * Grants each product at most what remains of its daily limit, and returns the number granted. Everyone locks rows one
 * at a time and in the same order, so two nodes cannot deadlock. If the counter crosses a threshold, the same statement
 * records the event: see `crossedMarks` in domain/events.
 */
export const count = {
  name: "count",
  text: `with counted as (
      insert into daily_usage as u (product_id, day, used, last_granted, daily_limit)
      select product_id, $1, least(asked, daily_limit), least(asked, daily_limit), daily_limit
      from unnest($2::text[], $3::bigint[], $4::bigint[]) as wanted (product_id, asked, daily_limit)
      order by product_id
      on conflict (product_id, day) do update set
        used = u.used + greatest(0, least(excluded.used, excluded.daily_limit - u.used)),
        last_granted = greatest(0, least(excluded.used, excluded.daily_limit - u.used)),
        daily_limit = excluded.daily_limit
      returning product_id, used, last_granted, daily_limit
    ), recorded as (
      insert into events (id, organization_id, product_id, type, at, data, undistributed)
      select ${uuidAt("$5::bigint")}, p.organization_id, p.id, mark.type, $5::bigint,
        json_build_object('organization_id', p.organization_id, 'product_id', p.id, 'limit', c.daily_limit,
          'used', c.used, 'resets_at',
          to_char(to_timestamp(($1::bigint + 1) * 86400) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"'))::text,
        ${distribution.waiting}
      from counted c
      cross join lateral (
        select 'quota.warning' as type, (c.daily_limit * 4 + 4) / 5 as reached
        union all select 'quota.exhausted', c.daily_limit) mark
      join products p on p.id = c.product_id and p.deleted_at is null
      where c.used >= (c.daily_limit * 4 + 4) / 5
        and c.used >= mark.reached and c.used - c.last_granted < mark.reached
    )
    select product_id, used, last_granted from counted`,
};

/** Returns what `count` granted to a batch that was not answered. In the order of `count`, for the same reason. */
export const giveBack = {
  name: "give_back",
  text: `with locked as (
      select u.product_id, u.day, wanted.granted
      from unnest($2::text[], $3::bigint[]) as wanted (product_id, granted)
      join daily_usage u on u.product_id = wanted.product_id and u.day = $1
      order by u.product_id for update of u
    )
    update daily_usage u set used = greatest(0, u.used - locked.granted)
    from locked where u.product_id = locked.product_id and u.day = locked.day`,
};

/**
 * Waits until everything committed before on this connection is on disk: a commit that waits, of a meaningless record.
 * Counting itself commits without waiting, so that the product's row is free for the next batch while this one waits
 * for the disk; no response is sent before that.
 */
export const flush = {
  name: "flush",
  text: "select set_config('synchronous_commit', 'on', true), pg_logical_emit_message(true, 'countersign', '')",
};

/**
 * Separates the values of a list that is sent as one text: the driver escapes arrays element by element, which is slow.
 */
export const separator = "\x1f";

/** Whether a single address of this /64 is registered. Checked only if the /64 is not. */
const hasAddressOf = `case when i.ip is null and right(wanted.ip, 3) = '/64' then exists (
        select 1 from license_ips n where n.license_id = l.id and n.network = wanted.ip)
      else false end`;

/** The licenses of a batch, if no product needs more than the columns that every validation uses. */
export const licenses = {
  name: "licenses",
  text: `select wanted.ordinal, ${licenseFactsColumns}, i.ip is not null as registered, ${hasAddressOf} as has_address_of,
      case when l.block_count > 0 then (
        select ${blocksAsJson()} from ip_blocks b
        where b.organization_id = l.organization_id and b.tier = 'license' and b.scope_id = l.id
      ) end as blocks
    from unnest(${list("$1")}, ${list("$2")}, ${list("$3")}) with ordinality
      as wanted (product_id, key_match, ip, ordinal)
    join licenses l on l.product_id = wanted.product_id and l.license_key_match = wanted.key_match
    left join license_ips i on i.license_id = l.id and i.ip = wanted.ip`,
};

/** `needs` says what else a caller's product requires: c the customer, b the customer's blocks, a both, n neither. */
export const detailedLicenses = {
  name: "detailed_licenses",
  text: `select wanted.ordinal, ${licenseFactsColumns}, ${licenseDetailColumns}, i.ip is not null as registered, ${hasAddressOf} as has_address_of,
      c.email as customer_email, c.name as customer_name, c.discord_id as customer_discord_id,
      case when l.block_count > 0 or wanted.needs in ('b', 'a') then (
        select ${blocksAsJson()} from ip_blocks b
        where b.organization_id = l.organization_id
          and ((b.tier = 'license' and b.scope_id = l.id) or (b.tier = 'customer' and b.scope_id = l.customer_id))
      ) end as blocks
    from unnest(${list("$1")}, ${list("$2")}, ${list("$3")}, ${list("$4")}) with ordinality
      as wanted (product_id, key_match, ip, needs, ordinal)
    join licenses l on l.product_id = wanted.product_id and l.license_key_match = wanted.key_match
    left join license_ips i on i.license_id = l.id and i.ip = wanted.ip
    left join organization_customers c
      on wanted.needs in ('c', 'a') and c.organization_id = l.organization_id and c.customer_id = l.customer_id`,
};

export const records = {
  name: "records",
  text: `select wanted.position, ${licenseRecordColumns}
    from unnest($1::int[], $2::text[], $3::text[]) as wanted (position, product_id, key_match)
    join licenses l on l.product_id = wanted.product_id and l.license_key_match = wanted.key_match
    left join organization_customers c on c.organization_id = l.organization_id and c.customer_id = l.customer_id`,
};

export const waitForDisk = {
  name: "wait_for_disk",
  text: "select set_config('synchronous_commit', 'on', true)",
};

/** The same for a statement that may have to wait for another session: only briefly, then its calls are locked out. */
export const waitForDiskNotForLocks = {
  name: "wait_for_disk_not_for_locks",
  text: "select set_config('synchronous_commit', 'on', true), set_config('lock_timeout', '20', true)",
};

/**
 * Runs before slots are assigned, so that the next statement sees every IP address registered so far. Rows locked by
 * another session are skipped, and the next statement learns which rows were locked, because the transaction must never
 * wait for this process, which can be paused at any moment.
 */
export const lockLicenses = {
  name: "lock_licenses",
  text: `with locked as (
      select id from licenses where id = any ($1::text[]) order by id for update skip locked
    )
    select set_config('countersign.locked', coalesce(string_agg(id, e'\\x1f'), ''), true) from locked`,
};

/** Which counters are not locked. */
export const freeCounters = {
  name: "free_counters",
  text: "select product_id from daily_usage where day = $1 and product_id = any ($2::text[]) for update skip locked",
};

/** For a summary that other calls of the same hour have started. */
const countedTogether = `on conflict (hour, license_id, type) do update set
        count = s.count + excluded.count, last_ip = excluded.last_ip,
        first_at = least(s.first_at, excluded.first_at), last_at = greatest(s.last_at, excluded.last_at)`;

/**
 * Gives each new IP address a slot, in order, while the license has one left, and records the events. Taking a slot
 * uses the license, possibly for the first time: see `firstUse`.
 */
export const registerIps = {
  name: "register_ips",
  text: `with wanted as (
      select * from unnest($1::int[], $2::text[], $3::text[], $4::boolean[], $6::text[], $7::text[], $8::text[])
        as w (position, license_id, ip, first_only, event_id, data, network)
      where w.license_id = any (string_to_array(current_setting('countersign.locked'), e'\\x1f'))
    ), fresh as (
      select w.*, row_number() over (partition by w.license_id order by w.position) as nth
      from wanted w
      where not exists (
          select 1 from license_ips i where i.license_id = w.license_id and i.ip in (w.ip, w.network))
        and not exists (select 1 from license_ips i where i.license_id = w.license_id and i.network = w.ip)
    ), taken as (
      insert into license_ips (license_id, ip, network, registered_at)
      select f.license_id, f.ip, f.network, $5::bigint from fresh f join licenses l on l.id = f.license_id
      where l.ip_count + f.nth <= case when f.first_only then least(1, l.max_ips) else l.max_ips end
      returning license_id, ip
    ), raised as (
      update licenses l set ip_count = l.ip_count + t.slots, ${firstUseColumns("$5::bigint")},
        ips_updated_at = greatest($5::bigint, l.updated_at + 1, l.ips_updated_at + 1)
      from (select license_id, count(*) as slots from taken group by license_id) t
      where l.id = t.license_id
      returning l.id, l.expires_at
    ), given as (
      select w.event_id, w.data, w.ip, l.id, l.organization_id, l.product_id,
        l.ip_count + f.nth <= ${maxSingleRegistrations} as singly
      from taken t
      join wanted w on w.license_id = t.license_id and w.ip = t.ip
      join fresh f on f.position = w.position
      join licenses l on l.id = t.license_id
    ), recorded as (
      insert into events (id, organization_id, product_id, license_id, type, at, data, undistributed)
      select event_id, organization_id, product_id, id, 'license.ip_registered', $5::bigint, data,
        ${distribution.waitingWithoutLicense}
      from given where singly
    ), counted as (
      insert into event_summaries as s
        (hour, license_id, type, organization_id, product_id, count, last_ip, first_at, last_at)
      select $5::bigint / 3600000, id, 'license.ip_registered', min(organization_id), min(product_id), count(*),
        max(ip), $5::bigint, $5::bigint
      from given where not singly group by id order by id
      ${countedTogether}
    )
    select w.position, l.max_ips, f.nth is null as held, t.ip is not null as taken,
      r.id is not null as used, r.expires_at,
      l.ip_count + least(
        coalesce(f.nth - 1, 0), (select count(*) from taken where license_id = w.license_id)) as registered_before
    from wanted w
    join licenses l on l.id = w.license_id
    left join fresh f on f.position = w.position
    left join taken t on t.license_id = w.license_id and t.ip = w.ip
    left join raised r on r.id = w.license_id`,
};

/**
 * Records rejections that have not been recorded in this hour, and returns which have their own event. In a fixed
 * order, so that two nodes cannot deadlock. Nodes do not wait for each other to count: if several see the first IP
 * addresses of an hour at the same time, each can record as many events as one would.
 */
export const recordRefusals = {
  name: "record_refusals",
  text: `with wanted as (
      select * from json_to_recordset($1::json) as w (
        id text, organization_id text, product_id text, license_id text, ip text, type text, data text)
    ), known as (
      select w.license_id, w.type, w.ip, t.in_summary from wanted w
      join recorded_refusals t on t.hour = $2::int and t.license_id = w.license_id and t.type = w.type and t.ip = w.ip
    ), before as (
      select d.license_id, d.type, (
        select count(*) from recorded_refusals t
        where t.hour = $2::int and t.license_id = d.license_id and t.type = d.type) as others
      from (select distinct license_id, type from wanted) d
    ), unknown as (
      select w.license_id, w.type, w.ip,
        b.others + row_number() over (partition by w.license_id, w.type order by w.ip) as nth
      from wanted w join before b on b.license_id = w.license_id and b.type = w.type
      where not exists (
        select 1 from known k where k.license_id = w.license_id and k.type = w.type and k.ip = w.ip)
    ), fresh as (
      insert into recorded_refusals (hour, license_id, type, ip, in_summary)
      select $2::int, license_id, type, ip, case when nth <= ${maxSingleEvents} then 0 else 1 end
      from unknown where nth <= ${maxDistinctIps} order by license_id, type, ip
      on conflict do nothing
      returning license_id, type, ip, in_summary
    ), recorded as (
      insert into events (id, organization_id, product_id, license_id, type, at, data, undistributed)
      select w.id, w.organization_id, w.product_id, w.license_id, w.type, $3::bigint, w.data,
        ${distribution.waitingWithoutLicense}
      from fresh f join wanted w on w.license_id = f.license_id and w.ip = f.ip and w.type = f.type
      where f.in_summary = 0
    )
    select license_id, type, ip from fresh where in_summary = 0
    union all select license_id, type, ip from known where in_summary = 0`,
};

/**
 * Counts the rejections without their own event, after the statement above is committed. It runs outside that
 * transaction, so that no session waits for the counting row while the transaction waits for the disk.
 */
export const summarizeRefusals = {
  name: "summarize_refusals",
  text: `insert into event_summaries as s
      (hour, license_id, type, organization_id, product_id, count, last_ip, first_at, last_at)
    select $2::int, w.license_id, w.type, min(w.organization_id), min(w.product_id), sum(w.count), max(w.ip),
      $3::bigint, $3::bigint
    from json_to_recordset($1::json) as w (
      organization_id text, product_id text, license_id text, ip text, type text, count int)
    left join recorded_refusals t on t.hour = $2::int and t.license_id = w.license_id and t.type = w.type and t.ip = w.ip
    where coalesce(t.in_summary, 1) = 1
    group by w.license_id, w.type order by w.license_id, w.type
    ${countedTogether}`,
};

/** Marks licenses as used and starts their terms, unless another session has done so or has locked them. */
export const firstUse = {
  name: "first_use",
  text: `with locked as (
      select id from licenses where id = any (${list("$1")}) and first_used_at is null
      order by id for update skip locked
    )
    update licenses l set ${firstUseColumns("$2::bigint")}
    from locked where l.id = locked.id`,
};

export const expiries = {
  name: "expiries",
  text: `select id, expires_at from licenses where id = any (${list("$1")}) and first_used_at is not null`,
};

export const blocks = {
  name: "blocks",
  text: `select revision, b.cidr, b.expires_at
    from (
      select case when $1 = 'platform'
        then (select value::bigint from platform_state where name = 'ip_blocks_revision')
        else (select ip_blocks_revision from organizations where id = $2) end as revision
    ) r
    left join ip_blocks b on b.tier = $1 and b.scope_id = $2`,
};

export const versions = {
  name: "versions",
  text: `select p.versions_revision as revision, v.version, v.state
    from products p left join product_versions v on v.product_id = p.id where p.id = $1`,
};

function list(parameter: string): string {
  return `string_to_array(${parameter}, e'\\x1f')`;
}

function firstUseColumns(nowMs: string): string {
  const starts = "l.first_used_at is null and l.term_ms is not null";
  return `first_used_at = coalesce(l.first_used_at, ${nowMs}),
      expires_at = case when ${starts} then ${nowMs} + l.term_ms else l.expires_at end,
      updated_at = case when ${starts} then greatest(l.updated_at + 1, l.ips_updated_at + 1, ${nowMs})
        else l.updated_at end`;
}

function blocksAsJson(): string {
  return "json_agg(json_build_object('cidr', b.cidr, 'expires_at', b.expires_at))";
}

/** An ID of the same kind as the server's: UUID version 7. */
function uuidAt(ms: string): string {
  const bytes = `overlay(uuid_send(gen_random_uuid()) placing substring(int8send(${ms}) from 3) from 1 for 6)`;
  return `encode(set_bit(set_bit(${bytes}, 52, 1), 53, 1), 'hex')::uuid::text`;
}

function nowMs(): string {
  return "(extract(epoch from clock_timestamp()) * 1000)::bigint";
}
