import type { accessToken } from "@countersign/contract/manage/access-tokens";
import { sortedPermissions } from "@countersign/domain/members/permissions";
import type { AccessTokenRow } from "@countersign/store/tables/organizations";
import type { z } from "zod";
import { permissionSet } from "../../api/access.ts";
import { iso } from "../../api/page.ts";

export function showToken(row: AccessTokenRow): z.input<typeof accessToken> {
  return {
    id: row.id,
    name: row.name,
    prefix: row.shown_prefix,
    permissions: sortedPermissions(permissionSet(row.permissions)),
    created_at: iso(row.created_at),
    created_by: row.created_by,
    expires_at: iso(row.expires_at),
    last_used_at: iso(row.last_used_at),
  };
}
