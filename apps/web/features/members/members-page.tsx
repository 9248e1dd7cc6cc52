import { Button, Stack } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { Icon } from "../../ui/icon.tsx";
import { Page } from "../../ui/page.tsx";
import { InvitationsPart } from "./invitations-part.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { MembersPart } from "./members-part.tsx";
import { membersRoute } from "./members-route.ts";

/** The members of the organization, and open invitations. */
export function MembersPage() {
  const { t } = useTranslation("members");
  const { name } = useOrganization();
  const may = useMay();
  const search = membersRoute.useSearch();
  const navigate = membersRoute.useNavigate();
  const setInviting = (isOpen: boolean) =>
    navigate({
      search: {
        ...(search.invitations === undefined ? {} : { invitations: search.invitations }),
        ...(isOpen ? { invite: true } : {}),
      },
      replace: true,
    });
  return (
    <Page
      wide
      title={t("title")}
      lead={t("lead", { organization: name })}
      actions={
        may("members:invite") && (
          <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setInviting(true)}>
            {t("invite.open")}
          </Button>
        )
      }
    >
      <Stack gap="xl">
        {may("members:view", "roles:edit", "members:remove") && <MembersPart />}
        {may("members:view", "members:invite") && <InvitationsPart />}
      </Stack>
      {may("members:invite") && (
        <InviteDialog
          opened={search.invite === true}
          roleId={search.role ?? null}
          onClose={() => setInviting(false)}
        />
      )}
    </Page>
  );
}
