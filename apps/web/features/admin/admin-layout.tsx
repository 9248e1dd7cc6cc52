import { Outlet } from "@tanstack/react-router";
import { useMe } from "../../session/current-organization.ts";
import { MissingPage } from "../../ui/page.tsx";

/** For platform admins. For others, these pages do not exist. */
export function AdminLayout() {
  return useMe().is_platform_admin ? <Outlet /> : <MissingPage />;
}
