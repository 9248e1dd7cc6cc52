import { Button, Drawer, Group, Stack, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Copyable } from "../../ui/copy.tsx";
import { Facts } from "../../ui/facts.tsx";
import { exactTime } from "../../ui/time.tsx";
import { plainWords } from "./actions.ts";
import { Actor } from "./actor.tsx";
import { Difference } from "./difference.tsx";
import type { Entry } from "./field-changes.ts";
import type { AuditSearch } from "./search.ts";
import { Subject } from "./subject.tsx";

interface EntryDrawerProps {
  readonly entry: Entry | null;
  readonly onClose: () => void;
  readonly onNarrow: (changes: Partial<AuditSearch>) => void;
}

/** One entry in full: who, when, from where, and each changed field. */
export function EntryDrawer({ entry, onClose, onNarrow }: EntryDrawerProps) {
  const { t } = useTranslation("audit-log");
  return (
    <Drawer
      opened={entry !== null}
      onClose={onClose}
      position="right"
      size="lg"
      title={t("entry.title")}
      closeButtonProps={{ "aria-label": t("everywhere:close") }}
    >
      {entry !== null && (
        <Stack gap="lg">
          <Title order={2}>{t(`actions.${entry.action}`, { defaultValue: plainWords(entry.action) })}</Title>
          <EntryFacts entry={entry} />
          <Group gap="xs">
            <Button
              size="compact-sm"
              variant="default"
              onClick={() =>
                onNarrow({ subject_kind: entry.subject.kind, subject_id: entry.subject.id, entry: undefined })
              }
            >
              {t("entry.onlyTarget")}
            </Button>
            {entry.actor.id !== null && (
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => onNarrow({ actor_id: entry.actor.id ?? undefined, entry: undefined })}
              >
                {t("entry.onlyActor")}
              </Button>
            )}
          </Group>
          <Difference entry={entry} />
        </Stack>
      )}
    </Drawer>
  );
}

function EntryFacts({ entry }: { entry: Entry }) {
  const { t, i18n } = useTranslation("audit-log");
  return (
    <Facts>
      <dt>{t("columns.who")}</dt>
      <dd>
        <Actor actor={entry.actor} />
      </dd>
      <dt>{t("columns.when")}</dt>
      <dd className="figures">{exactTime(entry.at, i18n.language)}</dd>
      <dt>{t(`subjects.${entry.subject.kind}`, { defaultValue: plainWords(entry.subject.kind) })}</dt>
      <dd>
        <Subject subject={entry.subject} action={entry.action} />
      </dd>
      <dt>{t("entry.targetId")}</dt>
      <dd>
        <Copyable value={entry.subject.id} />
      </dd>
      {entry.ip !== null && (
        <>
          <dt>{t("columns.ip")}</dt>
          <dd>
            <Copyable value={entry.ip} />
          </dd>
        </>
      )}
      {entry.request_id !== null && (
        <>
          <dt>{t("entry.request")}</dt>
          <dd>
            <Copyable value={entry.request_id} />
          </dd>
        </>
      )}
      <dt>{t("entry.code")}</dt>
      <dd className="mono">{entry.action}</dd>
    </Facts>
  );
}
