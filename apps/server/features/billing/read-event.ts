/** What is used of an event: the subscription itself is fetched. */
export interface StripeEvent {
  readonly id: string;
  readonly type: string;
  /** Whose subscription to fetch; null for none. */
  readonly customerId: string | null;
}

/** The events that can change what an organization has paid for. Others are recorded and ignored. */
const concerning = ["customer.subscription.", "invoice.", "checkout.session.", "customer.deleted"];

/** Null for anything but an event. */
export function readEvent(value: unknown): StripeEvent | null {
  const { id, type, account, data } = membersOf(value);
  if (!isName(id) || !isName(type)) return null;
  // An account that is given is another one, on whose behalf this one acts.
  const isOurs = account === undefined || account === null;
  const concerns = isOurs && concerning.some((start) => type.startsWith(start));
  return { id, type, customerId: concerns ? customerOf(membersOf(data).object) : null };
}

function customerOf(about: unknown): string | null {
  const { object, customer } = membersOf(about);
  return object === "customer" ? idOf(about) : idOf(customer);
}

/** Stripe sends an object or only its ID. */
function idOf(value: unknown): string | null {
  const id = typeof value === "string" ? value : membersOf(value).id;
  return isName(id) ? id : null;
}

function isName(value: unknown): value is string {
  return typeof value === "string" && /^[\w.-]{1,255}$/.test(value);
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
