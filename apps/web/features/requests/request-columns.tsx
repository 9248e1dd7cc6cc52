import { isRefused } from "@countersign/domain/validate/status";
import { Badge, Text, Tooltip } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useMaySee, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { useProducts } from "../../session/products.ts";
import { GoLink } from "../../ui/links.tsx";
import { type Column, Faint } from "../../ui/list.tsx";
import { Ip, type LoggedRequest, OutcomeMark, RequestTime, timeToTheSecond } from "./request.tsx";
import classes from "./requests.module.css";

/** A column that is the same in every row is left out. */
export type Known = "license" | "ip";

/** The columns of the request log. On narrow screens, the first has the essential ones. */
export function useRequestColumns(known?: Known): readonly (Column<LoggedRequest> | false)[] {
  const { t, i18n } = useTranslation("requests");
  const { slug } = useOrganization();
  const products = useProducts();
  return [
    {
      header: t("columns.time"),
      wide: true,
      width: 130,
      cell: (request) => <RequestTime at={request.at} />,
    },
    {
      header: t("columns.outcome"),
      fills: true,
      cell: (request) => (
        <>
          <div className={classes.outcome}>
            <GoLink to={paths.request(slug, request.id)} inherit className={classes.open ?? ""}>
              <OutcomeMark outcome={request.outcome} />
            </GoLink>
            <Marks request={request} />
            <GoLink
              to={paths.request(slug, request.id)}
              inherit
              className="oneLine"
              {...(isRefused(request.outcome) ? {} : { c: "dimmed" })}
              aria-label={t("whyOf", {
                outcome: t(`outcomes.${request.outcome}`),
                time: timeToTheSecond(request.at, i18n.language),
              })}
            >
              {t("why")}
            </GoLink>
          </div>
          {request.problem !== null && (
            <Text inherit c="dimmed" className={classes.problem ?? ""} title={request.problem}>
              {request.problem}
            </Text>
          )}
          <div className={classes.narrow}>
            <span className="figures">{timeToTheSecond(request.at, i18n.language)}</span>
            {known !== "license" && request.license_key !== null && (
              <>
                {" · "}
                <span className="mono">{request.license_key}</span>
              </>
            )}
            {known !== "ip" && (
              <>
                {" · "}
                <span className="mono">{request.ip}</span>
              </>
            )}
            {request.device_id !== null && (
              <>
                {" · "}
                <span title={request.device_id}>{request.device_id}</span>
              </>
            )}
          </div>
        </>
      ),
    },
    known !== "license" &&
      (products.data?.length ?? 0) > 1 && {
        header: t("columns.product"),
        wide: true,
        extra: true,
        cell: (request: LoggedRequest) => request.product_name ?? <Faint>–</Faint>,
      },
    known !== "license" && {
      header: t("columns.license"),
      wide: true,
      cell: (request: LoggedRequest) => <License request={request} />,
    },
    known === "ip"
      ? {
          header: t("columns.device"),
          wide: true,
          cell: ({ device_id: id }: LoggedRequest) => (id === null ? <Faint>–</Faint> : <Device id={id} />),
        }
      : {
          header: t("columns.ipAndDevice"),
          wide: true,
          cell: ({ ip, device_id: id }: LoggedRequest) => (
            <>
              <Ip ip={ip} />
              {id !== null && <Device id={id} />}
            </>
          ),
        },
    {
      header: t("columns.version"),
      wide: true,
      cell: (request) => request.version ?? <Faint>–</Faint>,
    },
    {
      header: t("columns.duration"),
      wide: true,
      extra: true,
      align: "right",
      cell: ({ duration_ms: ms }) => (
        <span className="figures oneLine">
          {ms === null ? <Faint>–</Faint> : duration(ms, i18n.language)}
        </span>
      ),
    },
  ];
}

/** Milliseconds with a sensible number of digits. */
export function duration(ms: number, language: string): string {
  return new Intl.NumberFormat(language, {
    style: "unit",
    unit: "millisecond",
    maximumFractionDigits: ms < 10 ? 1 : 0,
  }).format(ms);
}

function Marks({ request }: { request: LoggedRequest }) {
  const { t, i18n } = useTranslation("requests");
  const number = request.count.toLocaleString(i18n.language);
  return (
    <>
      {request.count > 1 && (
        <Tooltip label={t("timesWords", { number })} multiline maw={280}>
          <Badge variant="default" tabIndex={0}>
            {t("timesCount", { number })}
          </Badge>
        </Tooltip>
      )}
      {request.endpoint === "lookup" && (
        <Badge variant="default" fw={500}>
          {t("endpoints.lookup")}
        </Badge>
      )}
      {request.sandbox && <Badge color="grape">{t("sandboxMark")}</Badge>}
    </>
  );
}

function License({ request }: { request: LoggedRequest }) {
  const { t } = useTranslation("requests");
  const maySee = useMaySee();
  const { slug } = useOrganization();
  const { license_id: id, license_key: key, customer_name: customer } = request;
  if (id === null) return <Faint>–</Faint>;
  if (key === null) return <Faint>{t("one.deleted")}</Faint>;
  return (
    <>
      {maySee("licenses:view") ? (
        <GoLink to={paths.license(slug, id)} inherit className={`mono ${classes.key}`} title={key}>
          {key}
        </GoLink>
      ) : (
        <span className={`mono ${classes.key}`}>{key}</span>
      )}
      {customer !== null && (
        <Text inherit c="dimmed" className={classes.customer ?? ""} title={customer}>
          {customer}
        </Text>
      )}
    </>
  );
}

/** A device ID that shows its requests. */
function Device({ id }: { id: string }) {
  const { slug } = useOrganization();
  return (
    <GoLink
      to={paths.requests(slug, { device_id: id })}
      inherit
      c="dimmed"
      className={classes.device ?? ""}
      title={id}
    >
      {id}
    </GoLink>
  );
}
