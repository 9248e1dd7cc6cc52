/** What the dashboard links to in the documentation, below `/docs/`. A test checks that each exists. */
export const docsSections = {
  branding: "guides/customer-portal",
  results: "reference/validation",
  ipLimit: "reference/validation#ip-limit",
  ipBlocks: "reference/validation#ip-blocks",
  expiry: "reference/validation#expiry",
  revoked: "reference/validation#revoked-licenses",
  versions: "reference/validation#version-checks",
  signing: "reference/validation#signed-responses",
  customResponse: "reference/validation#custom-response",
  dailyLimit: "reference/validation#daily-limit",
  sandbox: "guides/testing-your-integration",
  productStatus: "reference/validation#disabled-and-archived-products",
  api: "reference/api",
} as const;

export type DocsSection = keyof typeof docsSections;
