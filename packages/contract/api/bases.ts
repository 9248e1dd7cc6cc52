/** The base path of the management API. */
export const manageBase = "/api/manage/v1";

/** The base path of the customer portal's API. */
export const portalBase = "/api/portal/v1";
