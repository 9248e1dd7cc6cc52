import { problem } from "./declare.ts";

const retryAfter = "Retry-After says how many seconds to wait.";
const perProcess =
  "The limit is per user or access token, and per organization, on each server process. Retry-After says how many seconds to wait.";

/**
 * Organizations with their members, roles, invitations, access tokens, customers, webhooks, request log and analytics, and
 * the whole platform.
 */
export const organizationsProblems = {
  organization_not_found: problem(404, "There is no such organization, or you cannot see it."),
  user_not_found: problem(404, "There is no such user, or you cannot see them."),
  member_not_found: problem(404, "There is no such member, or you cannot see them."),
  role_not_found: problem(404, "There is no such role, or you cannot see it."),
  invitation_not_found: problem(404, "There is no such invitation, or you cannot see it."),
  access_token_not_found: problem(404, "There is no such access token, or you cannot see it."),
  customer_not_found: problem(404, "There is no such customer, or you cannot see them."),
  email_not_found: problem(404, "There is no such email, or you cannot see it."),
  email_kind_not_found: problem(404, "There is no such kind of email."),
  email_content_deleted: problem(404, "The email was sent, and its content is not kept."),
  email_without_html: problem(404, "The email is plain text only."),
  invalid_invitation_link: problem(
    404,
    "The invitation is invalid: it was used, replaced or revoked, or has expired. Ask for a new one.",
  ),

  permissions_exceeded: problem(
    403,
    "You cannot grant permissions that you do not have yourself: {permissions}.",
    "This applies to roles, members, invitations and access tokens.",
  ),
  outranked: problem(
    403,
    "You cannot change or remove this, because it has permissions that you do not have yourself: {permissions}.",
    "This applies to roles, members, invitations and access tokens.",
  ),
  invitation_for_other_email: problem(
    403,
    "This invitation is for {email}. Sign in with that email address to accept it.",
  ),
  invited_email_not_verified: problem(403, "Verify that {email} is your email address first, then accept."),
  organization_limit_reached: problem(403, {
    one: "You own {count} organization, which is your limit. The operator of this server can raise it.",
    other: "You own {count} organizations, which is your limit. The operator of this server can raise it.",
  }),
  new_owner_organization_limit_reached: problem(403, {
    one: "The new owner owns {count} organization, which is their limit. The operator of this server can raise it.",
    other:
      "The new owner owns {count} organizations, which is their limit. The operator of this server can raise it.",
  }),
  access_token_limit_reached: problem(
    403,
    "There are already {limit} access tokens. Revoke one that is not used.",
  ),

  slug_taken: problem(409, "The slug {slug} is taken. Choose another."),
  role_name_taken: problem(409, "This organization already has a role with the name {name}. Choose another."),
  role_in_use: problem(
    409,
    "The role is in use, so it cannot be deleted. Members: {members}. Pending invitations: {invitations}.",
  ),
  owner_has_no_role: problem(409, "The owner has no role. Transfer the ownership first."),
  owner_cannot_leave: problem(
    409,
    "The owner can neither leave nor be removed. Transfer the ownership first.",
  ),
  new_owner_suspended: problem(
    409,
    "The account of this member is suspended, so they cannot become the owner.",
  ),
  already_member: problem(409, "You are already a member of this organization."),
  email_is_member: problem(409, "{email} is already the email address of a member."),
  already_invited: problem(
    409,
    "{email} already has a pending invitation. Send it again, or revoke it first.",
  ),
  invitation_accepted: problem(409, "The invitation was accepted. Remove the member instead."),
  invitation_revoked: problem(409, "The invitation was revoked. Create a new one."),
  customer_exists: problem(
    409,
    "This customer already exists, with the ID {customer_id}. Change that one instead.",
  ),
  customer_has_licenses: problem(409, {
    one: "The customer has {count} license. Delete it or transfer it to another customer first.",
    other: "The customer has {count} licenses. Delete them or transfer them to another customer first.",
  }),
  customer_licenses_changed: problem(409, {
    one: "The customer has {count} license now. Check what will be deleted, and confirm again.",
    other: "The customer has {count} licenses now. Check what will be deleted, and confirm again.",
  }),
  last_platform_admin: problem(409, "This is the last platform admin. Add another one first."),
  cannot_suspend_yourself: problem(409, "You cannot suspend yourself. Another platform admin can."),
  user_suspended: problem(409, "This user is suspended. Lift the suspension first."),
  default_plan_in_environment: problem(
    409,
    "The default plan is set by COUNTERSIGN_DEFAULT_PLAN in the environment. Change it there.",
  ),

  invitation_limit_reached: problem(
    429,
    "An organization can send {limit} invitations a day. Try again tomorrow.",
    `All organizations of one owner share the limit. ${retryAfter}`,
  ),
  invitation_just_sent: problem(
    429,
    {
      one: "The invitation was sent a moment ago. It can be sent again in {count} second.",
      other: "The invitation was sent a moment ago. It can be sent again in {count} seconds.",
    },
    retryAfter,
  ),

  // Webhooks
  webhook_not_found: problem(404, "There is no such webhook, or you cannot see it."),
  delivery_not_found: problem(404, "There is no such delivery, or you cannot see it."),
  webhook_disabled: problem(409, "The webhook is disabled, so nothing is sent to it. Enable it first."),
  webhook_limit_reached: problem(
    403,
    "The organization has {limit} webhooks. Delete one that is not used.",
    "The operator of the server sets the limit.",
  ),
  delivery_finished: problem(409, "The delivery is no longer waiting. Replay it to send the event again."),
  delivery_in_progress: problem(409, "The delivery is being sent right now. Wait for the result."),
  event_pending: problem(409, "The event is already being delivered to this webhook. Wait for the result."),
  event_pruned: problem(409, "The event is no longer stored, so it cannot be sent again."),

  // The request log and analytics
  request_not_found: problem(
    404,
    "There is no such request in the log, or you cannot see it.",
    "Requests appear about two seconds after they were made, and are deleted after a number of days that depends on the plan.",
  ),
  too_many_streams: problem(
    429,
    "There are {limit} live streams open for you or your organization. Close one first.",
    perProcess,
  ),
  too_many_polls: problem(
    429,
    "{limit} requests for you or your organization are waiting for events. Let one end first.",
    perProcess,
  ),
  too_many_exports: problem(
    429,
    "{limit} exports of your organization are being downloaded. Wait until one has ended.",
    perProcess,
  ),
  range_empty: problem(422, "The range must start before it ends, after 1970 and before now."),
  too_many_buckets: problem(
    422,
    "The range has more than {limit} buckets of this length. Choose a longer interval or a shorter range.",
  ),
} as const;

export const organizationsFieldErrors = {
  not_a_slug: "must have 1 to 48 characters: letters from a to z, digits, and hyphens in between",
  not_the_slug: "must be the slug of the organization, {slug}",
  not_a_role: "must be the ID of a role of this organization",
  not_a_member: "must be the ID of a member of this organization",
  email_or_discord_id: "or discord_id is required: one of them identifies the customer",
  after_token_expiry: "must be no later than {latest}, when the access token that you use expires",

  // Webhooks
  not_a_url: "must be a URL that starts with https:// or http://, such as https://example.com/countersign",
  url_with_credentials: "must not contain a user name or password. Use a custom header instead",
  url_without_host: "must contain a host",
  invalid_port: "must have a port from 1 to 65535, or none",
  url_not_public: "must lead to a public IP address. The operator of the server can allow private ones",
  invalid_header_name:
    "must be a header name: a letter, then up to 63 letters, digits, hyphens and underscores",
  reserved_header_name: "is a header that cannot be customized",
  invalid_header_value: "must be visible ASCII characters, without a space at either end",
  too_many_headers: "must have at most {max} headers",
  duplicate_header: "must name each header once. Upper and lower case are the same",
  unknown_product: "must be a product of this organization",
  only_with_oldest: "can be set only with order=oldest",
  not_an_event_id: "must be an event ID, which starts with evt_",

  // A logo or an accent color
  accent_color_invalid: "must be a color such as #16755c",
  accent_contrast_too_low:
    "has too little contrast with white, so white text on it would be hard to read; {suggestion} has enough",
  logo_too_large: "must be smaller: at most {max_kib} KiB",
  logo_not_a_picture: "must be a PNG, JPEG, WebP or SVG file; this one is none of these, or is damaged",
  logo_without_size: "must have a viewBox, or a width and height",
  logo_wrong_size: "must have at most {max_pixels} × {max_pixels} pixels",
} as const;
