import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { useMay, useMe, useOrganizationOrNull, useOrganizations } from "../here.ts";
import { lastOrganization } from "../last-organization.ts";
import { places } from "./navigation.ts";
import classes from "./shell.module.css";

/** Where one can go: only what one may see. */
export function SideBar() {
  const { t } = useTranslation();
  const me = useMe();
  const may = useMay();
  const here = useOrganizationOrNull();
  const organizations = useOrganizations();
  const slug = here?.slug ?? organizations.find((one) => one.slug === lastOrganization())?.slug;
  return (
    <>
      {slug !== undefined &&
        places.map((group) => {
          const shown = group.filter(({ any }) => any.length === 0 || here === null || may(...any));
          if (shown.length === 0) return null;
          return (
            <ul key={group[0]?.path} className={classes.places}>
              {shown.map(({ path, icon }) => (
                <li key={path}>
                  <Link
                    className={classes.place ?? ""}
                    to={`/o/$organization/${path}` as "/o/$organization"}
                    params={{ organization: slug }}
                    activeOptions={{ exact: path === "", includeSearch: false }}
                  >
                    <Icon name={icon as IconName} />
                    {t(`places.${path === "" ? "overview" : path}`)}
                  </Link>
                </li>
              ))}
            </ul>
          );
        })}
      {me.is_platform_admin && (
        <ul className={classes.places}>
          <li>
            <Link className={classes.place ?? ""} to="/admin">
              <Icon name="platform" />
              {t("places.platform")}
            </Link>
          </li>
        </ul>
      )}
    </>
  );
}
