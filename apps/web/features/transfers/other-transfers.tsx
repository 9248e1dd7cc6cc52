import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { DataTable } from "../../ui/data-table.tsx";
import { GoLink } from "../../ui/go-link.tsx";
import { ListTime } from "../../ui/list-time.tsx";
import { Section } from "../../ui/section.tsx";
import { useHolderName } from "./holder.tsx";
import type { Transfer } from "./transfer.ts";
import { TransferState } from "./transfer-state.tsx";

/** The license's other transfers, newest first; null if there are none. */
export function OtherTransfers({ transfer }: { transfer: Transfer }) {
  const { t } = useTranslation("transfers");
  const { id, slug } = useOrganization();
  const nameOf = useHolderName();
  const { data } = useQuery(
    ask("listTransfers", {
      params: { organization_id: id },
      query: { license_id: transfer.license_id, limit: 20 },
    }),
  );
  const others = (data?.data ?? []).filter((other) => other.id !== transfer.id);
  if (others.length === 0) return null;
  return (
    <Section title={t("others")} bare>
      <DataTable
        label={t("others")}
        columns={[
          {
            id: "who",
            header: t("fromAndTo"),
            fills: true,
            cell: (other) => (
              <GoLink to={paths.transfer(slug, other.id)} style={{ overflowWrap: "anywhere" }}>
                {t("fromTo", { from: nameOf(other.from), to: nameOf(other.to) })}
              </GoLink>
            ),
          },
          {
            id: "state",
            header: t("state"),
            whole: true,
            cell: (other) => <TransferState state={other.state} />,
          },
          {
            id: "requested",
            header: t("requested"),
            wide: true,
            cell: (other) => <ListTime at={other.requested_at} />,
          },
        ]}
        rows={others}
        keyOf={(other) => other.id}
        isPending={false}
        error={null}
        empty={null}
      />
    </Section>
  );
}
