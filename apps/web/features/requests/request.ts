import type { Item } from "../../api/client.ts";

export type LoggedRequest = Item<"listRequests">;
