import { refusalEvent, warningAt } from "@countersign/domain/events/thresholds";
import type { CidrSet } from "@countersign/domain/ip/cidr";
import { productRefusal } from "@countersign/domain/validate/decide";
import type { Outcome } from "@countersign/domain/validate/status";
import { type CallerRow, limitOf } from "./caller.ts";
import type { CallerProduct } from "./calls.ts";
import { type RecordedRefusals, type Refusal, type Refusals, refusalKey } from "./refusals.ts";

/** What the calls of one batch share: the time at which they are decided, and their products. */
export class Batch {
  readonly products = new Map<string, ProductInBatch>();
  readonly nowMs: number;
  readonly platformBlocks: CidrSet;
  readonly #recorded: RecordedRefusals;
  #refusals: Map<string, Refusal> | null = null;

  constructor(nowMs: number, platformBlocks: CidrSet, recorded: RecordedRefusals) {
    this.nowMs = nowMs;
    this.platformBlocks = platformBlocks;
    this.#recorded = recorded;
  }

  /** The rejections that may get an event; null for a batch that has none. */
  get refusals(): Refusals | null {
    return this.#refusals;
  }

  noteRefusal(status: Outcome, licenseId: string, ip: string, { row }: ProductInBatch): void {
    const type = refusalEvent(status);
    if (type === null) return;
    const key = refusalKey(type, licenseId, ip);
    if (this.#recorded.has(this.nowMs, key)) return;
    this.#refusals ??= new Map();
    const noted = this.#refusals.get(key);
    if (noted !== undefined) {
      noted.count += 1;
      return;
    }
    const { organization_id: organizationId, product_id: productId } = row;
    this.#refusals.set(key, { type, organizationId, productId, licenseId, ip, count: 1 });
  }
}

/** A product in this batch: what its calls share, and how much quota it has. */
export class ProductInBatch {
  readonly row: CallerRow;
  readonly caller: CallerProduct;
  /** The organization's block list. */
  readonly blocks: CidrSet;
  readonly limit: number | null;
  /** Below this count there is no quota event. */
  readonly warningAt: number;
  /** Whether the product or its organization rejects every call, so that no license is looked up. */
  readonly refused: boolean;
  /** Whether the product needs more of a license than the columns every validation uses. */
  readonly needsDetails: boolean;
  /** How many calls of the batch need to be counted. */
  asked = 0;
  /** By how many of them the counter was incremented. */
  granted = 0;
  /** Today's count, as seen by the calls answered so far. */
  used = 0;
  #left = 0;

  constructor(row: CallerRow, caller: CallerProduct, blocks: CidrSet) {
    this.row = row;
    this.caller = caller;
    this.blocks = blocks;
    this.limit = limitOf(row);
    this.warningAt = warningAt(this.limit);
    this.needsDetails = caller.facts.versions !== null || caller.facts.custom !== null;
    this.refused = productRefusal(caller.facts) !== null;
  }

  counted(usedBefore: number, granted: number): void {
    this.used = usedBefore;
    this.granted = granted;
    this.#left = granted;
  }

  /** Admits the next call if the batch was granted that many. */
  admit(): boolean {
    if (this.#left === 0) return false;
    this.#left -= 1;
    this.used += 1;
    return true;
  }
}
