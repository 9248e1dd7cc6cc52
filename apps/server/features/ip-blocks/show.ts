import type { ipBlock } from "@countersign/contract/manage/ip-blocks";
import type { IpBlockRow } from "@countersign/store/tables/licenses";
import type { z } from "zod";
import { iso } from "../../api/page.ts";

export function showIpBlock(row: IpBlockRow): z.input<typeof ipBlock> {
  return {
    id: row.id,
    level: row.tier,
    cidr: row.cidr,
    note: row.note,
    expires_at: iso(row.expires_at),
    created_by: row.created_by,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}
