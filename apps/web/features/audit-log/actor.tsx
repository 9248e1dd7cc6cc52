import { Badge, Group, Tooltip } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Entry } from "./field-changes.ts";

/** The actor, and the access token if one was used. */
export function Actor({ actor }: { actor: Entry["actor"] }) {
  const { t } = useTranslation("audit-log");
  const kind = actor.kind === "person" && actor.access_token_id !== null ? "by_token" : actor.kind;
  return (
    <Group gap="0 6px">
      <span>
        <ActorName actor={actor} />
      </span>
      {kind !== "person" && kind !== "system" && (
        <Tooltip label={t(`kindWords.${kind}`)}>
          <Badge size="sm" variant="default" tt="none" tabIndex={0}>
            {t(`kinds.${kind}`)}
          </Badge>
        </Tooltip>
      )}
    </Group>
  );
}

export function ActorName({ actor }: { actor: Entry["actor"] }) {
  const { t } = useTranslation("audit-log");
  return actor.kind === "system" ? t("kinds.system") : actor.name;
}
