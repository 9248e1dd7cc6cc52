import { Outlet } from "@tanstack/react-router";
import { useMe } from "../../session/current-organization.ts";
import { MissingPage } from "../../ui/missing-page.tsx";
import { AdminNav } from "./admin-nav.tsx";

/** For platform admins. For others, these pages do not exist. */
export function AdminLayout() {
  const me = useMe();
  if (!me.is_platform_admin) return <MissingPage />;
  return (
    <>
      <AdminNav />
      <Outlet />
    </>
  );
}
