import { Button } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { useChange } from "../../api/queries.ts";
import { OneTimeLink } from "../../app/no-email.tsx";
import { useSendsEmail } from "../../session/sends-email.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { notify, notifyProblem } from "../../ui/notify.tsx";
import { Panel } from "../../ui/section.tsx";
import { exactTime } from "../../ui/time.tsx";

interface Person {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

/** A link to set a new password, for users who cannot sign in. */
export function PasswordLinkPanel({ user }: { user: Person }) {
  const { t } = useTranslation("admin");
  const sendsEmail = useSendsEmail();
  const create = useChange("createPasswordLink");
  const [made, setMade] = useState<Answer<"createPasswordLink"> | null>(null);
  const run = () =>
    create.mutate(
      { params: { user_id: user.id } },
      {
        onSuccess: (link) => {
          if (link.password_link !== null) setMade(link);
          else notify(t("passwordLink.done", { email: user.email }));
        },
        onError: notifyProblem,
      },
    );
  return (
    <Panel
      title={t("passwordLink.title")}
      lead={t("passwordLink.lead")}
      actions={
        <Button variant="default" loading={create.isPending} onClick={run}>
          {t(sendsEmail ? "passwordLink.do" : "passwordLink.doNoEmail")}
        </Button>
      }
    >
      <PasswordLinkToCopy person={user} made={made} onDone={() => setMade(null)} />
    </Panel>
  );
}

interface PasswordLinkToCopyProps {
  readonly person: Person | null;
  readonly made: Answer<"createPasswordLink"> | null;
  readonly onDone: () => void;
}

export function PasswordLinkToCopy({ person, made, onDone }: PasswordLinkToCopyProps) {
  const { t, i18n } = useTranslation("admin");
  const link = made?.password_link ?? null;
  const until = made === null ? "" : exactTime(made.password_link_expires_at, i18n.language);
  return (
    <Dialog
      opened={link !== null}
      onClose={onDone}
      title={t("passwordLink.linkTitle", { name: person?.name })}
      closeOnClickOutside={false}
    >
      {link !== null && (
        <OneTimeLink link={link} onDone={onDone}>
          {t("passwordLink.link", { email: person?.email, until })}
        </OneTimeLink>
      )}
    </Dialog>
  );
}
