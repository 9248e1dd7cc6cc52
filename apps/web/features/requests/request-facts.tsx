import { useTranslation } from "react-i18next";
import { useMaySee, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { useProducts } from "../../session/products.ts";
import { Copy, Copyable } from "../../ui/copy.tsx";
import { Dimmed } from "../../ui/dimmed.tsx";
import { ipClass } from "../../ui/ip-class.ts";
import { GoLink } from "../../ui/links.tsx";
import { Faint } from "../../ui/list.tsx";
import { Fact, Section } from "../../ui/section.tsx";
import { Ip, type LoggedRequest, timeWithMilliseconds } from "./request.tsx";
import { duration } from "./request-columns.tsx";
import classes from "./request-page.module.css";

/** Everything that the log has about a request, with links to what it is about. */
export function RequestFacts({ request }: { request: LoggedRequest }) {
  const { t, i18n } = useTranslation("requests");
  const { slug } = useOrganization();
  const maySee = useMaySee();
  const products = useProducts();
  const product = products.data?.find(({ id }) => id === request.product_id);
  const { license_id: licenseId, license_key: key, device_id: device, duration_ms: ms } = request;
  const others = (search: Record<string, string>, linkText: string) => (
    <GoLink to={paths.requests(slug, search)} size="sm" display="block">
      {linkText}
    </GoLink>
  );
  return (
    <Section title={t("one.details")}>
      <dl className={classes.facts}>
        <Fact name={t("columns.requestId")}>
          <Copyable value={request.id} />
        </Fact>
        <Fact name={t("columns.time")}>
          <time dateTime={request.at} className="figures">
            {timeWithMilliseconds(request.at, i18n.language)}
          </time>
        </Fact>
        <Fact name={t("columns.code")}>
          <Copyable value={request.outcome} />
        </Fact>
        <Fact name={t("columns.endpoint")}>
          {t(`endpoints.${request.endpoint}`)}
          {request.sandbox && ` · ${t("sandboxMark")}`}
        </Fact>
        <Fact name={t("columns.product")}>
          {product === undefined ? (
            <>
              {request.product_name} <Copyable value={request.product_id} />
              {products.isSuccess && <Dimmed>{t("one.deleted")}</Dimmed>}
            </>
          ) : (
            <GoLink to={paths.product(slug, product.id)}>{product.name}</GoLink>
          )}
        </Fact>
        <Fact name={t("columns.license")}>
          {licenseId === null ? (
            <Faint>–</Faint>
          ) : key === null ? (
            <>
              <Copyable value={licenseId} />
              <Dimmed>{t("one.deleted")}</Dimmed>
            </>
          ) : (
            <>
              {maySee("licenses:view") ? (
                <GoLink to={paths.license(slug, licenseId)} className="mono">
                  {key}
                </GoLink>
              ) : (
                <span className="mono">{key}</span>
              )}{" "}
              <Copy value={key} />
              {others({ license_id: licenseId }, t("one.same_license"))}
            </>
          )}
        </Fact>
        {request.customer_name !== null && <Fact name={t("columns.customer")}>{request.customer_name}</Fact>}
        <Fact name={t("columns.ip")}>
          <span className={ipClass(request.ip)}>
            <Ip ip={request.ip} />
          </span>{" "}
          <Copy value={request.ip} />
          {others({ ip: request.ip }, t("one.same_ip"))}
        </Fact>
        <Fact name={t("columns.version")}>
          {request.version === null ? <Faint>–</Faint> : <Copyable value={request.version} />}
        </Fact>
        <Fact name={t("columns.device")}>
          {device === null ? (
            <Faint>–</Faint>
          ) : (
            <>
              <Copyable value={device} />
              {others({ device_id: device }, t("one.same_device"))}
            </>
          )}
        </Fact>
        <Fact name={t("columns.problem")}>
          {request.problem === null ? (
            <Faint>–</Faint>
          ) : (
            <>
              {request.problem} <Copy value={request.problem} />
            </>
          )}
        </Fact>
        <Fact name={t("columns.duration")}>
          {ms === null ? <Faint>–</Faint> : <span className="figures">{duration(ms, i18n.language)}</span>}
        </Fact>
        {request.count > 1 && (
          <Fact name={t("columns.count")}>
            {t("timesWords", { number: request.count.toLocaleString(i18n.language) })}
          </Fact>
        )}
      </dl>
    </Section>
  );
}
