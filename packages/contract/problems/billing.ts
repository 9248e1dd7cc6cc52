import { problem } from "./declare.ts";

/** Plans, their limits, and payments. */
export const billingProblems = {
  plan_not_found: problem(404, "There is no such plan."),
  announcement_not_found: problem(404, "There is no such announcement."),
  invalid_stripe_signature: problem(
    400,
    "The signature of this event is missing, invalid or too old.",
    "Only Stripe calls this, with the secret in COUNTERSIGN_STRIPE_WEBHOOK_SECRET.",
  ),
  event_not_processed: problem(
    503,
    "The state of the subscription could not be fetched from Stripe, so this event was not processed.",
    "Stripe sends it again later. The server's log has the reason.",
  ),
  billing_suspended: problem(
    402,
    "A payment is overdue, so nothing can be changed here. Pay in the billing settings to continue.",
    "Reading, paying and deleting the organization are still possible.",
  ),
  product_limit_reached: problem(
    403,
    "The {plan} plan limits products to {limit}, and this organization has {used}. A higher plan or the operator of this server can raise the limit.",
  ),
  license_limit_reached: problem(
    403,
    "The {plan} plan limits licenses to {limit}, and this organization has {used}. A higher plan or the operator of this server can raise the limit.",
  ),
  member_limit_reached: problem(
    403,
    "The {plan} plan limits members to {limit}, and this organization has {used}, including the owner and pending invitations. A higher plan or the operator of this server can raise the limit.",
  ),
  webhook_plan_limit_reached: problem(
    403,
    "The {plan} plan limits webhooks to {limit}, and this organization has {used}. A higher plan or the operator of this server can raise the limit.",
  ),
  version_module_not_in_plan: problem(
    403,
    "The {plan} plan does not include version checks. A higher plan or the operator of this server can provide them.",
    "What a product checks since an earlier plan keeps working, but cannot be extended.",
  ),
  impersonation_read_only: problem(
    403,
    "You are viewing this organization as a platform admin, so you cannot change anything.",
  ),
  impersonation_no_secrets: problem(
    403,
    "You are viewing this organization as a platform admin. Exports and searches of license keys are only for its members.",
    "Customers can be searched, and their licenses listed.",
  ),
  impersonation_limit_reached: problem(
    409,
    "You are already viewing {limit} organizations. Stop viewing one of them first.",
  ),
  payments_unavailable: problem(
    409,
    "Payments are not set up on this server. Ask its operator for another plan.",
  ),
  plan_not_for_sale: problem(
    409,
    "This plan cannot be bought for that interval. Ask the operator of this server.",
  ),
  already_subscribed: problem(
    409,
    "This organization already has a subscription. Change it in the payment account.",
  ),
  plan_set_by_operator: problem(
    409,
    "The operator of this server has set the plan of this organization. Ask them to change it.",
  ),
  no_payment_account: problem(
    409,
    "This organization has not paid for a plan here yet. Choose a plan first.",
  ),
  setting_in_environment: problem(409, "This is set by {variable} in the environment. Change it there."),
  announcement_limit_reached: problem(
    409,
    "There are already {limit} announcements. Delete one that is over.",
  ),
  payment_provider_failed: problem(
    502,
    "The payment provider could not be reached, or refused the request. Try again in a moment.",
    "The server's log has the reason.",
  ),
} as const;

export const billingFieldErrors = {
  not_a_currency: "must be an ISO 4217 currency code, such as usd or eur",
  ends_before_start: "must be later than the start",
  plan_end_not_future: "must be in the future",
} as const;
