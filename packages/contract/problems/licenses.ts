import { problem } from "./declare.ts";

export const licensesProblems = {
  license_not_found: problem(404, "There is no such license, or you cannot see it."),
  product_not_found: problem(404, "There is no such product, or you cannot see it."),
  api_key_not_found: problem(
    404,
    "There is no such API key, or you cannot see it.",
    "Keys that have expired cannot be changed, and count as not found.",
  ),
  version_not_found: problem(404, "There is no such version, or you cannot see it."),
  block_not_found: problem(404, "There is no such block, or you cannot see it."),
  import_not_found: problem(404, "There is no such import, or you cannot see it."),
  ip_not_registered: problem(404, "This IP address is not registered on the license."),

  license_keys_taken: problem(
    409,
    {
      one: "{count} license key belongs to another license of this product.",
      other: "{count} license keys belong to other licenses of this product.",
    },
    "`errors` names up to 100 of the keys. Nothing was created.",
  ),
  license_never_expires: problem(409, "The license never expires, so it cannot be renewed."),
  license_revoked: problem(409, "The license is revoked. Reinstate it before you send its key."),
  ip_limit_reached: problem(409, {
    one: "The license allows {count} IP address, which is registered already. Remove it, or raise max_ips.",
    other: "The license allows {count} IP addresses, which are all registered. Remove one, or raise max_ips.",
  }),
  license_email_unavailable: problem(
    409,
    "This server does not send emails. Copy the text and send it yourself.",
  ),
  license_email_queued: problem(409, "The email is already waiting to be sent."),
  license_email_sent_recently: problem(
    429,
    {
      one: "The email was just sent. It can be sent again in {count} second.",
      other: "The email was just sent. It can be sent again in {count} seconds.",
    },
    "Retry-After says how many seconds to wait.",
  ),
  license_email_limit_reached: problem(
    429,
    "The organization has sent all the emails to customers that it can send today. Try again tomorrow.",
    "Retry-After says how many seconds to wait.",
  ),
  customer_without_email: problem(409, "The customer has no email address. Add one first."),

  product_closed_for_sale: problem(
    409,
    "The product {product} is closed for sale, so no new licenses can be created.",
    "Set closed_for_sale to false first.",
  ),
  api_key_limit_reached: problem(
    403,
    "The product has {limit} active API keys. Revoke one that is not used.",
  ),
  last_lasting_api_key: problem(
    409,
    "{prefix} is the product's only API key without an expiry. Add another key first, or rotate this one.",
  ),
  version_exists: problem(
    409,
    "The version {version} is already in the list as {existing}, with the state {state}. Change that entry instead.",
  ),
  version_limit_reached: problem(
    403,
    "The product has {limit} versions. Remove some, or use a line such as 2.1.x for many of them.",
  ),
  versions_changed_meanwhile: problem(
    412,
    "The list of versions was changed after you read it. Read it again, then repeat your change.",
    "`revision` in the body names an older state than the current one.",
  ),
  block_exists: problem(409, "{cidr} is already on this list. Change block {block_id} instead."),
  block_limit_reached: problem(
    403,
    "There are {limit} blocks here. Remove some, or block a wider network instead of many small ones.",
  ),

  import_abandoned: problem(
    503,
    "The import was abandoned before the file had arrived. Send the file again.",
    "Nothing was imported. Retry-After says how many seconds to wait.",
  ),
  import_finished: problem(409, "The import has ended, so it cannot be canceled."),
  import_running: problem(409, "The import is still running. Cancel it first."),
  import_undone: problem(409, "The import has been undone, or is being undone."),
  import_changed_nothing: problem(409, "The import changed nothing, so there is nothing to undo."),
  import_too_old: problem(409, "The import is older than {days} days, so it cannot be undone."),
  file_too_large: problem(413, "The file is larger than {limit}. Send it in parts."),
} as const;

export const licensesFieldErrors = {
  conflicts_with: "cannot be set together with {other}",
  idempotency_key_required:
    "is required for a request of this size, so that it can be repeated if it is interrupted",

  customer_missing: "or customer_discord_id is required: a license belongs to a customer",
  expiry_missing: "is required when is_lifetime is false",
  renewal_missing: "or extend_by is required",
  extension_missing: "or extend_by_seconds is required",
  after_year_9999: "must be before the year 10000",
  before_year_1970: "must not be before the year 1970",
  license_key_taken: "belongs to another license of this product: {license_key}",
  duplicate_license_key: "is the same key as {other}",
  license_key_unprintable: "must contain visible characters only",
  license_key_with_count: "must be omitted when count is greater than 1",
  too_large_in_total:
    "is too large for this many licenses: metadata, custom_override and notes of {licenses} licenses have {bytes} bytes, and one request can write {max}. Create fewer licenses at a time",
  invalid_metadata: "must be a JSON object of at most {max_kib} KiB, nested at most {max_depth} levels deep",
  json_too_large: "must be at most {max_kib} KiB of JSON",
  unknown_placeholder: "contains {placeholder}, which is not a placeholder. Placeholders are {allowed}",
  misspelled_placeholder: "contains {placeholder}, which is not a placeholder. Write {correct}",
  invalid_selection:
    "must have either ids, an array of 1 to 10,000 license IDs, or filter, an object with the filters of the list",

  not_a_version: "must be a version such as 2.1.0",
  not_a_version_or_line: "must be a version such as 2.1.3, or a line of versions such as 2.1.x",
  pinned_version_missing: "is required when version_pin_mode is pinned",
  version_range_missing: "or version_range_max is required when version_pin_mode is range",
  version_range_empty: "must be greater than version_range_min: the end of the range is exclusive",
  unused_in_pin_mode: "cannot be set while version_pin_mode is {mode}",
  duplicate_version: "is the same version as {version}",
  second_latest_version: "cannot be latest, because {version} already is",

  not_an_ip: "must be an IP address, such as 203.0.113.7 or 2001:db8::1",
  not_an_ip_or_network:
    "must be an IP address or a network, such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/48",
  unsortable_with_cidr: "must be ip, or omitted, when cidr is set",

  // Files
  invalid_column_map:
    "must be a JSON object that maps columns of the file to fields, or to null to ignore them. Fields are {allowed}",
  file_empty: "is empty",
  file_not_utf8: "is not UTF-8: there is an invalid character before byte {byte}. Save the file as UTF-8",
  file_has_nul: "contains NUL characters. Save the file as UTF-8 text",
  line_too_long: "has a line that is too long: line {line}",
  row_too_long: "has a row that is too long: row {row}. A quote may be missing its closing quote",
  quote_not_closed: "has a quote that is never closed, in row {row}",
  text_after_quote:
    "has text after a closing quote, in row {row}, column {column}. Inside a quoted cell, write each quote twice",
  too_many_columns: "has {columns} columns in its first row. There can be at most {max}",
  unknown_column: "has an unknown column: {column}. Map it to a field, or to null to ignore it",
  duplicate_column: "has two columns for the field {name}. Ignore one of them",
  column_not_in_file: "has no column {column}. Its columns are {found}",
  no_known_column: "has no column with a field of a license",
  json_invalid: "is not valid JSON, after record {row}",
  json_not_closed: "ends in the middle of a JSON document. It was not downloaded or saved as a whole",
  no_records: "has no list of licenses. The list is expected at the top, or in {lists}",

  // Rows of a file
  not_json: "is not valid JSON",
  too_many_cells: "has {cells} cells, but the first row has {columns} columns",
  unknown_member: "is not a field of a license. Map it to a field, or to null to ignore it",
  duplicate_member: "is another member for the field {name}",
  key_in_earlier_row: "is also in row {row}",
  other_product_in_file:
    "is of another product than the rows before, {first}. Export one product at a time, or ignore the column",
  record_not_in_file:
    "cannot be known: the license names one of the {type} that is not in the file before it. Put the {type} into the file first, or ignore the column",
  over_license_limit:
    "exceeds the limit of the {plan} plan, {limit} licenses. A higher plan or the operator of this server can raise it",
  too_many_ips: "has {ips} IP addresses, which is more than max_ips ({max})",
  contains_no_ip: "contains {value}, which is not an IP address",
  contains_ipv4_network: "contains {value}, but IPv4 addresses are registered one by one",
  ip_times_mismatch: "must have one time for each IP address in ips",
  not_a_list: "must be strings separated by semicolons, or a JSON array of strings",
  term_without_first_use: "starts with the first use, so expires_at requires first_used_at",
  status_not_revoked: "is {status}, but revoked_at is set",
  reason_without_revocation: "is set, but the license is not revoked",
} as const;
