import type { Migration } from "./migration.ts";

/** For analytics: how many licenses were revoked in a period. */
export const revocations: Migration = {
  name: "0009-revocations",
  statements: [
    `create index licenses_by_revocation on licenses (organization_id, revoked_at, product_id)
      where revoked_at is not null`,
  ],
};
