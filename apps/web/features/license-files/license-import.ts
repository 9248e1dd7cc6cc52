import type { Answer } from "../../api/client.ts";

export type Import = Answer<"getLicenseImport">;
