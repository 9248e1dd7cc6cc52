import { type Permission, sortedPermissions } from "@countersign/domain/members/permissions";
import { Button, Group, Stack } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { usePermissions } from "../../session/permissions.ts";
import { TextField } from "../../ui/fields.tsx";
import { Form, StickyBar } from "../../ui/form.tsx";
import { PermissionPicker } from "../../ui/permission-picker.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { useForm } from "../../ui/use-form.tsx";

interface RoleFormProps {
  readonly start: { readonly name: string; readonly permissions: readonly Permission[] };
  readonly action: string;
  readonly send: (role: { name: string; permissions: Permission[] }) => Promise<unknown>;
  /** The initial name of a new role. */
  readonly isNew?: boolean;
}

export function RoleForm({ start, action, send, isNew = false }: RoleFormProps) {
  const { t } = useTranslation("roles");
  const held = usePermissions();
  const form = useForm({
    start: { name: start.name, permissions: sortedPermissions(new Set(start.permissions)) },
    send,
  });
  return (
    <Form
      {...form.props}
      // Another template in the URL remounts the form.
      goesWithSearch={isNew}
    >
      <Stack>
        <TextField
          {...form.field("name")}
          label={t("name")}
          placeholder={t("nameExample")}
          required
          maxLength={100}
          maw={420}
          autoFocus={isNew}
        />
        <PermissionPicker
          value={new Set(form.values.permissions)}
          onChange={(chosen) => form.set({ permissions: sortedPermissions(chosen) })}
          held={held}
        />
        <ProblemAlert error={form.error} beside={["name"]} />
        <StickyBar shown={isNew || form.isChanged}>
          <Group gap="xs">
            <Button type="submit" loading={form.isBusy}>
              {action}
            </Button>
            {!isNew && (
              <Button variant="default" onClick={() => form.restart(form.base)}>
                {t("discard")}
              </Button>
            )}
          </Group>
        </StickyBar>
      </Stack>
    </Form>
  );
}
