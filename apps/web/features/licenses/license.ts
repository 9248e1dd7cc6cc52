import type { Item } from "../../api/client.ts";

/** A license as lists hold it. */
export type License = Item<"listLicenses">;
