import type { KeySource as AnyKeySource } from "@countersign/node/http";
import type { Request } from "express";

/** Where to find the license key of a request. */
export type KeySource = AnyKeySource<Request>;
