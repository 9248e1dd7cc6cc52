import { Badge, Button, Group, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Answer, Item } from "../../api/client.ts";
import { askPages, flat, useChange } from "../../api/queries.ts";
import { paths } from "../../session/paths.ts";
import { useSendsEmail } from "../../session/sends-email.ts";
import type { Column } from "../../ui/data-table.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { Empty } from "../../ui/empty.tsx";
import { GoLink } from "../../ui/go-link.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ListTime } from "../../ui/list-time.tsx";
import { notify } from "../../ui/notify.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { PasswordLinkToCopy } from "./password-link.tsx";
import { SearchedList } from "./searched-list.tsx";

const adminUsersRoute = getRouteApi("/inside/admin/admin-layout/users");

type User = Item<"listUsers">;

export function UsersPage() {
  const { t } = useTranslation("admin");
  const search = adminUsersRoute.useSearch();
  const navigate = adminUsersRoute.useNavigate();
  const [isAdding, setAdding] = useState(false);
  const list = useInfiniteQuery(
    askPages("listUsers", {
      query: {
        ...(search.q === undefined ? {} : { q: search.q }),
        ...(search.show === "admins" ? { platform_admin: "true" } : {}),
        ...(search.show === "suspended" ? { suspended: "true" } : {}),
      },
    }),
  );
  const rows = flat(list.data);
  const set = (changes: Partial<typeof search>) =>
    void navigate({ search: { ...search, ...changes }, replace: true });
  const columns: Column<User>[] = [
    {
      id: "name",
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
    { id: "marks", header: t("users.status"), cell: (user) => <Marks user={user} /> },
    {
      id: "created",
      header: t("users.since"),
      wide: true,
      cell: (user) => <ListTime at={user.created_at} />,
    },
  ];
  return (
    <SearchedList
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
      search={{ label: t("users.search"), value: search.q, onChange: (q) => set({ q }) }}
      filters={
        <SegmentedControl
          size="xs"
          aria-label={t("users.show")}
          value={search.show ?? "all"}
          onChange={(value) => set({ show: value === "admins" || value === "suspended" ? value : undefined })}
          data={(["all", "admins", "suspended"] as const).map((value) => ({
            value,
            label: t(`users.${value}`),
          }))}
        />
      }
      columns={columns}
      list={list}
      rows={rows}
      empty={
        <Empty icon="search" title={t("nothingFound")}>
          {t("users.none")}
        </Empty>
      }
    />
  );
}

export function Marks({ user }: { user: Omit<User, "created_at" | "updated_at"> }) {
  const { t } = useTranslation("admin");
  return (
    <Group gap={4}>
      {user.suspended_at !== null && (
        <Badge size="sm" variant="light" color="red">
          {t("status.suspended")}
        </Badge>
      )}
      {user.is_platform_admin && (
        <Badge size="sm" variant="light">
          {t("users.admin")}
        </Badge>
      )}
      {user.two_factor_enabled && (
        <Badge size="sm" variant="default">
          {t("users.twoFactor")}
        </Badge>
      )}
      {!user.email_verified && (
        <Badge size="sm" variant="light" color="orange">
          {t("users.unverified")}
        </Badge>
      )}
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
  const [email, setEmail] = useState("");
  const [name, setName] = useState("");
  const send = () =>
    add.mutate(
      { body: { email, ...(name.trim() === "" ? {} : { name }) } },
      {
        onSuccess: (added) => {
          if (added.password_link !== null) return onLink(added);
          notify(t("addUser.done", { email }));
          onClose();
        },
      },
    );
  return (
    <DialogForm
      onSubmit={send}
      typed={[email, name]}
      error={add.error}
      isBusy={add.isPending}
      action={t("addUser.do")}
    >
      <ProblemAlert error={add.error} beside={["email", "name"]} />
      <TextInput
        label={t("addUser.email")}
        type="email"
        required
        data-autofocus
        autoComplete="off"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        error={fieldError(add.error, "email")}
      />
      <TextInput
        label={t("addUser.name")}
        autoComplete="off"
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={fieldError(add.error, "name")}
      />
      <Text size="sm" c="dimmed">
        {t(sendsEmail ? "addUser.words" : "addUser.wordsNoEmail")}
      </Text>
    </DialogForm>
  );
}
