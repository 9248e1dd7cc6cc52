/** The base path of the management API. */
export const manageBase = "/api/manage/v1";
