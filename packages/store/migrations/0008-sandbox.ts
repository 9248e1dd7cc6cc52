import type { Migration } from "./migration.ts";

/** Test API keys, which grant nothing and can be shown again. */
export const sandbox: Migration = {
  name: "0008-sandbox",
  statements: [
    `create table product_sandbox_keys (
      product_id text primary key references products (id),
      public_id text not null unique,
      api_key text not null,
      created_at bigint not null
    )`,
  ],
};
