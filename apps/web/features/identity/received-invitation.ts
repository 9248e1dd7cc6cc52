import type { Answer } from "../../api/client.ts";

export type ReceivedInvitation = Answer<"getReceivedInvitation">;
