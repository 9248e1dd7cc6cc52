import { useMaySee, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { ipClass } from "../../ui/ip-class.ts";
import { GoLink } from "../../ui/links.tsx";

/** An IP address that links to its page. */
export function Ip({ ip }: { ip: string }) {
  const maySee = useMaySee();
  const { slug } = useOrganization();
  if (!maySee("licenses:view")) return <span className={ipClass(ip)}>{ip}</span>;
  return (
    <GoLink to={paths.ip(slug, ip)} inherit className={ipClass(ip)}>
      {ip}
    </GoLink>
  );
}
