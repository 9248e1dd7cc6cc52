import { useTranslation } from "react-i18next";
import classes from "./license.module.css";

const mostDevices = 3;

/** The devices at an IP address, by the IDs that apps send. */
export function Devices({ ids }: { readonly ids: readonly string[] }) {
  const { t } = useTranslation("portal");
  if (ids.length === 0) return null;
  const names = ids.slice(0, mostDevices).join(", ");
  const more = ids.length - mostDevices;
  return (
    <div className={`small dimmed ${classes.devices}`}>
      {more > 0 ? t("ips.devicesMore", { names, count: more }) : t("ips.devices", { names })}
    </div>
  );
}
