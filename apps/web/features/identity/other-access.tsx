import { Checkbox, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Time } from "../../ui/time.tsx";

/** The account's other sign-in methods, as the server shows them to users who have the link. */
export interface AccountAccess {
  readonly passkeys: readonly {
    readonly id: string;
    readonly name: string | null;
    readonly createdAt: string | null;
  }[];
  readonly accessTokens: readonly {
    readonly id: string;
    readonly name: string;
    readonly prefix: string;
    readonly createdAt: string;
    readonly lastUsedAt: string | null;
  }[];
  readonly discord: { readonly discordId: string } | null;
}

interface KeptWaysInProps {
  readonly ways: AccountAccess;
  readonly kept: ReadonlySet<string>;
  readonly onChange: (kept: ReadonlySet<string>) => void;
}

/** Someone else may have added them, so each is removed unless it is selected. */
export function OtherAccess({ ways, kept, onChange }: KeptWaysInProps) {
  const { t } = useTranslation("identity");
  const { passkeys, accessTokens, discord } = ways;
  if (passkeys.length + accessTokens.length === 0 && discord === null) return null;
  const box = (id: string, label: string, createdAt: string | null) => (
    <Checkbox
      key={id}
      label={label}
      description={
        createdAt === null ? undefined : (
          <>
            {t("reset.added")} <Time at={createdAt} />
          </>
        )
      }
      styles={{ label: { overflowWrap: "anywhere" } }}
      checked={kept.has(id)}
      onChange={(event) =>
        onChange(new Set(event.currentTarget.checked ? [...kept, id] : [...kept].filter((one) => one !== id)))
      }
    />
  );
  return (
    <Stack gap="xs" role="group" aria-label={t("reset.keepTitle")}>
      <div>
        <Text fw={600} size="sm">
          {t("reset.keepTitle")}
        </Text>
        <Text size="sm" c="dimmed">
          {t("reset.keep")}
        </Text>
      </div>
      {passkeys.map(({ id, name, createdAt }) =>
        box(id, t("reset.passkey", { name: name ?? t("reset.unnamed") }), createdAt),
      )}
      {accessTokens.map(({ id, name, prefix, createdAt }) =>
        box(id, t("reset.token", { name, prefix }), createdAt),
      )}
      {discord !== null && box("discord", t("reset.discord", { id: discord.discordId }), null)}
    </Stack>
  );
}
