import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { paths } from "../../session/paths.ts";
import { Facts } from "../../ui/facts.tsx";
import { GoLink } from "../../ui/go-link.tsx";
import { exactTime } from "../../ui/time.tsx";
import { Actor } from "../audit-log/actor.tsx";
import { Difference } from "../audit-log/difference.tsx";
import type { Entry } from "../audit-log/field-changes.ts";

interface EntryInFullProps {
  readonly entry: Entry;
  readonly title: string;
  readonly narrow: (to: { actor?: string; subject?: string; entry: undefined }) => void;
}

/** One entry in full, with links to the organization and related entries. */
export function EntryDetails({ entry, title, narrow }: EntryInFullProps) {
  const { t, i18n } = useTranslation(["audit-log", "admin"]);
  const { id: actorId } = entry.actor;
  return (
    <Stack>
      <Title order={2}>{title}</Title>
      <Facts>
        <dt>{t("columns.who")}</dt>
        <dd>
          <Actor actor={entry.actor} />
        </dd>
        <dt>{t("columns.when")}</dt>
        <dd>{exactTime(entry.at, i18n.language)}</dd>
        <dt>{t("columns.target")}</dt>
        <dd>{entry.subject.name ?? entry.subject.id}</dd>
        {entry.organization_id !== null && (
          <>
            <dt>{t("admin:audit.organization")}</dt>
            <dd>
              <GoLink to={paths.platformOrganization(entry.organization_id)}>{t("admin:audit.open")}</GoLink>
            </dd>
          </>
        )}
        <dt>{t("columns.ip")}</dt>
        <dd>
          <Text component="span" inherit className="mono">
            {entry.ip ?? "–"}
          </Text>
        </dd>
      </Facts>
      <Group gap="xs">
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => narrow({ subject: entry.subject.id, entry: undefined })}
        >
          {t("entry.onlyTarget")}
        </Button>
        {actorId !== null && (
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => narrow({ actor: actorId, entry: undefined })}
          >
            {t("entry.onlyActor")}
          </Button>
        )}
      </Group>
      <Difference entry={entry} />
    </Stack>
  );
}
