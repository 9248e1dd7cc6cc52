/** Where the management API begins. */
export const manageBase = "/api/manage/v1";
