import { usualDefaultPlan } from "@countersign/domain/organizations/sign-up";
import { type Plan, plans } from "@countersign/domain/quota/limit";
import { defaultLogDays, defaultLogMegabytes } from "@countersign/domain/requests/log-days";
import { stateOf, statesNamed } from "@countersign/store/queries/admin/platform-state";
import type { Database } from "@countersign/store/store";
import type { Config } from "../../base/config.ts";

/**
 * What a platform admin can change while the server runs. It is read whenever it is needed, so that a change applies
 * with the next request, on every node. The environment overrides it.
 */
interface PlatformSettings {
  /** The plan of new organizations. */
  readonly default_plan: Plan;
  /** Who can create an account: only people who are invited or added, or anyone. */
  readonly sign_up: "closed" | "open";
  /** The maximum number of emails a day to the customers of one organization. */
  readonly daily_emails: number;
  /** The maximum number of webhooks per organization. */
  readonly webhook_endpoints: number;
  /** How many days requests are kept in the log. */
  readonly request_log_days: number;
  /** How many megabytes the log can take on disk. */
  readonly request_log_mb: number;
}

export type SettingName = keyof PlatformSettings;

/** Who decided. Nobody, as long as the default applies because nothing was decided. */
type SetBy = "environment" | "platform_admin" | "nobody";

interface Definition<Value> {
  readonly variable: string;
  /** The value in the environment; null if it is not set there. */
  readonly fromEnvironment: (config: Config) => Value | null;
  /** The stored value; null if it is none. */
  readonly parse: (text: string) => Value | null;
  readonly fallback: Value | ((others: Pick<PlatformSettings, "sign_up">) => Value);
}

const definitions: { readonly [Name in SettingName]: Definition<PlatformSettings[Name]> } = {
  default_plan: {
    variable: "COUNTERSIGN_DEFAULT_PLAN",
    fromEnvironment: (config) => config.defaultPlan,
    parse: (text) => plans.find((plan) => plan === text) ?? null,
    fallback: ({ sign_up: signUp }) => usualDefaultPlan(signUp),
  },
  sign_up: {
    variable: "COUNTERSIGN_SIGN_UP",
    fromEnvironment: (config) => config.signUp,
    parse: (text) => (text === "open" || text === "closed" ? text : null),
    fallback: "closed",
  },
  daily_emails: {
    variable: "COUNTERSIGN_DAILY_EMAILS",
    fromEnvironment: (config) => config.dailyEmails,
    parse: wholeNumber,
    // If anyone can create an organization, anyone could send emails in the operator's name.
    fallback: ({ sign_up: signUp }) => (signUp === "open" ? 500 : 20_000),
  },
  webhook_endpoints: {
    variable: "COUNTERSIGN_WEBHOOK_ENDPOINTS",
    fromEnvironment: (config) => config.webhookEndpoints,
    parse: wholeNumber,
    fallback: 20,
  },
  request_log_days: {
    variable: "COUNTERSIGN_REQUEST_LOG_DAYS",
    fromEnvironment: (config) => config.requestLogDays,
    parse: wholeNumber,
    fallback: defaultLogDays,
  },
  request_log_mb: {
    variable: "COUNTERSIGN_REQUEST_LOG_MB",
    fromEnvironment: (config) => config.requestLogMegabytes,
    parse: wholeNumber,
    fallback: defaultLogMegabytes,
  },
};

export const settingNames = Object.keys(definitions) as readonly SettingName[];

/** The variable that overrides a setting. */
export function variableOf(name: SettingName): string {
  return definitions[name].variable;
}

export async function platformSettings(db: Database, config: Config): Promise<PlatformSettings> {
  return (await settingsWithSource(db, config)).values;
}

interface SettingsWithSource {
  readonly values: PlatformSettings;
  readonly setBy: Readonly<Record<SettingName, SetBy>>;
}

/** The settings, and who decided on each. */
export async function settingsWithSource(db: Database, config: Config): Promise<SettingsWithSource> {
  return settingsFrom(await statesNamed(db, settingNames), config);
}

/** The same from the stored values by name. */
export function settingsFrom(stored: ReadonlyMap<string, string>, config: Config): SettingsWithSource {
  const setBy = {} as Record<SettingName, SetBy>;
  const decided = <Name extends SettingName>(name: Name): PlatformSettings[Name] | null => {
    const { fromEnvironment, parse } = definitions[name];
    const fixed = fromEnvironment(config);
    const text = stored.get(name);
    const chosen = text === undefined ? null : parse(text);
    setBy[name] = fixed !== null ? "environment" : chosen !== null ? "platform_admin" : "nobody";
    return fixed ?? chosen;
  };
  const signUp = decided("sign_up") ?? "closed";
  const value = <Name extends SettingName>(name: Name): PlatformSettings[Name] => {
    const { fallback } = definitions[name];
    return decided(name) ?? (typeof fallback === "function" ? fallback({ sign_up: signUp }) : fallback);
  };
  const values = {
    default_plan: value("default_plan"),
    sign_up: signUp,
    daily_emails: value("daily_emails"),
    webhook_endpoints: value("webhook_endpoints"),
    request_log_days: value("request_log_days"),
    request_log_mb: value("request_log_mb"),
  };
  return { values, setBy };
}

function wholeNumber(text: string): number | null {
  return /^\d{1,10}$/.test(text) ? Number(text) : null;
}

/** What the operator sets for payments. */
export interface PaymentSettings {
  /** The ISO 4217 code of the currency of prices, in lower case. */
  readonly currency: string;
  /** Whom organizations ask about plans: an email address or a URL. */
  readonly contact: string | null;
  /** Whether Stripe calculates taxes. */
  readonly automaticTax: boolean;
}

export async function paymentSettings(db: Database): Promise<PaymentSettings> {
  return {
    currency: (await stateOf(db, "currency")) ?? "usd",
    contact: await stateOf(db, "billing_contact"),
    automaticTax: (await stateOf(db, "automatic_tax")) === "true",
  };
}
