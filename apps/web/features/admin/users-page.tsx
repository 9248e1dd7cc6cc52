import { Badge, Button, Group, Stack, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Answer, Item } from "../../api/client.ts";
import { askPages, useChange } from "../../api/queries.ts";
import { paths } from "../../session/paths.ts";
import { useSendsEmail } from "../../session/sends-email.ts";
import { Dialog, DialogForm } from "../../ui/dialog.tsx";
import { Dimmed } from "../../ui/dimmed.tsx";
import { TextField } from "../../ui/fields.tsx";
import { FilterChoice, SearchField } from "../../ui/filters.tsx";
import { Icon } from "../../ui/icon.tsx";
import { GoLink } from "../../ui/links.tsx";
import { List } from "../../ui/list.tsx";
import { notify } from "../../ui/notify.tsx";
import { Page } from "../../ui/page.tsx";
import { FormProblem, useForm } from "../../ui/use-form.tsx";
import { PasswordLinkToCopy } from "./password-link.tsx";

const adminUsersRoute = getRouteApi("/signed-in/admin/admin-layout/users");

type User = Item<"listUsers">;

export function UsersPage() {
  const { t } = useTranslation("admin");
  const search = adminUsersRoute.useSearch();
  const navigate = adminUsersRoute.useNavigate();
  const [isAdding, setAdding] = useState(false);
  const { q, show = "all" } = search;
  const list = useInfiniteQuery(
    askPages("listUsers", {
      query: {
        q,
        platform_admin: show === "admins" ? "true" : undefined,
        suspended: show === "suspended" ? "true" : undefined,
      },
    }),
  );
  const set = (changes: Partial<typeof search>) =>
    void navigate({ search: { ...search, ...changes }, replace: true });
  return (
    <Page
      wide
      title={t("users.title")}
      lead={t("users.lead")}
      actions={
        <>
          <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setAdding(true)}>
            {t("addUser.open")}
          </Button>
          <AddUser opened={isAdding} onClose={() => setAdding(false)} />
        </>
      }
    >
      <Stack gap="sm">
        <Group gap="xs">
          <SearchField label={t("users.search")} value={q} onChange={(term) => set({ q: term })} />
          <FilterChoice
            size="xs"
            label={t("users.show")}
            values={["all", "admins", "suspended"]}
            words={(value) => t(`users.${value}`)}
            value={show}
            onChange={(value) => set({ show: value === "all" ? undefined : value })}
          />
        </Group>
        <List
          label={t("users.title")}
          list={list}
          columns={[
            {
              header: t("users.name"),
              cell: (user) => (
                <Stack gap={0} miw={0}>
                  <GoLink to={paths.user(user.id)} size="sm" fw={600}>
                    {user.name}
                  </GoLink>
                  <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
                    {user.email}
                  </Text>
                </Stack>
              ),
            },
            { header: t("users.status"), cell: (user) => <UserBadges user={user} /> },
            { header: t("users.since"), wide: true, at: (user) => user.created_at },
          ]}
          empty={{ icon: "search", title: t("nothingFound"), words: t("users.none") }}
        />
      </Stack>
    </Page>
  );
}

export function UserBadges({ user }: { user: Omit<User, "created_at" | "updated_at"> }) {
  const { t } = useTranslation("admin");
  return (
    <Group gap={4}>
      {user.suspended_at !== null && <Badge color="red">{t("status.suspended")}</Badge>}
      {user.is_platform_admin && <Badge>{t("users.admin")}</Badge>}
      {user.two_factor_enabled && <Badge variant="default">{t("users.twoFactor")}</Badge>}
      {!user.email_verified && <Badge color="orange">{t("users.unverified")}</Badge>}
    </Group>
  );
}

/** Adds a user, who then sets their own password. */
function AddUser({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation("admin");
  const [added, setAdded] = useState<Answer<"createUser"> | null>(null);
  return (
    <>
      <Dialog opened={opened && added === null} onClose={onClose} title={t("addUser.title")}>
        {opened && <AddUserForm onClose={onClose} onLink={setAdded} />}
      </Dialog>
      <PasswordLinkToCopy
        person={added}
        made={added}
        onDone={() => {
          setAdded(null);
          onClose();
        }}
      />
    </>
  );
}

interface AddUserFormProps {
  readonly onClose: () => void;
  readonly onLink: (added: Answer<"createUser">) => void;
}

function AddUserForm({ onClose, onLink }: AddUserFormProps) {
  const { t } = useTranslation("admin");
  const sendsEmail = useSendsEmail();
  const add = useChange("createUser");
  const form = useForm({
    start: { email: "", name: "" },
    send: async ({ email, name }) => {
      const added = await add.mutateAsync({ body: { email, ...(name.trim() === "" ? {} : { name }) } });
      if (added.password_link !== null) return onLink(added);
      notify(t("addUser.done", { email }));
      onClose();
    },
  });
  return (
    <DialogForm {...form.props} action={t("addUser.do")}>
      <FormProblem form={form} />
      <TextField
        {...form.field("email")}
        label={t("addUser.email")}
        type="email"
        required
        data-autofocus
        autoComplete="off"
      />
      <TextField {...form.field("name")} label={t("addUser.name")} autoComplete="off" maxLength={100} />
      <Dimmed>{t(sendsEmail ? "addUser.words" : "addUser.wordsNoEmail")}</Dimmed>
    </DialogForm>
  );
}
