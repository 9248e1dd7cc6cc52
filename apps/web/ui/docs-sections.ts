/** The sections of the API reference that the dashboard links to. A test checks that each exists. */
export const docsSections = {
  branding: "group-branding",
  results: "group-results",
  ipLimit: "topic-ip-limit",
  ipBlocks: "topic-ip-blocks",
  expiry: "topic-expiry",
  revoked: "topic-revoked",
  versions: "topic-versions",
  signing: "topic-signing",
  customResponse: "topic-custom-response",
  dailyLimit: "topic-daily-limit",
  sandbox: "group-sandbox",
  productStatus: "topic-product-status",
} as const;

export type DocsSection = keyof typeof docsSections;
