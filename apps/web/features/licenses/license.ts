import type { Item } from "../../api/client.ts";

/** A license in a list. */
export type License = Item<"listLicenses">;
