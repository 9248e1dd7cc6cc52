/** The base path of the customer portal's API. */
export const portalBase = "/api/portal/v1";
