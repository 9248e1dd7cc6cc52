export const planLimits = [
  "daily_limit",
  "organizations_per_user",
  "max_products",
  "max_licenses",
  "max_members",
  "max_webhooks",
  "request_log_days",
] as const;
export type PlanLimit = (typeof planLimits)[number];

export interface PlanFields extends Readonly<Record<PlanLimit, number | null>> {
  readonly version_module: boolean;
  readonly monthly_price: number | null;
  readonly yearly_price: number | null;
}

/** Whether a plan has only the prices that an installation comes with. */
export function hasExamplePrices(
  plan: Pick<PlanFields, "monthly_price" | "yearly_price"> & { readonly updated_at: string },
): boolean {
  // A plan that was never saved has the first time there is.
  return Date.parse(plan.updated_at) === 0 && (plan.monthly_price !== null || plan.yearly_price !== null);
}

export interface PlanEffects {
  /** Limits that are lower afterwards. No limit is the highest. */
  readonly lowered: readonly PlanLimit[];
  readonly losesVersions: boolean;
  readonly newPrice: boolean;
  readonly notSold: boolean;
}

/** What a changed plan means for the organizations that are on it. */
export function planEffects(saved: PlanFields, next: PlanFields): PlanEffects {
  const isSold = (plan: PlanFields) => plan.monthly_price !== null || plan.yearly_price !== null;
  return {
    lowered: planLimits.filter(
      (name) => (next[name] ?? Number.MAX_VALUE) < (saved[name] ?? Number.MAX_VALUE),
    ),
    losesVersions: saved.version_module && !next.version_module,
    newPrice:
      isSold(saved) &&
      isSold(next) &&
      (saved.monthly_price !== next.monthly_price || saved.yearly_price !== next.yearly_price),
    notSold: isSold(saved) && !isSold(next),
  };
}

export function needsConfirmation(effects: PlanEffects): boolean {
  return effects.lowered.length > 0 || effects.losesVersions || effects.newPrice || effects.notSold;
}
