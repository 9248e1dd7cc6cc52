import { type Permission, sortedPermissions } from "@countersign/domain/members/permissions";
import { Button, Group, Stack, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { usePermissions } from "../../session/permissions.ts";
import { Form, StickyBar } from "../../ui/form.tsx";
import { PermissionPicker } from "../../ui/permission-picker.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";

interface RoleSummary {
  readonly name: string;
  readonly permissions: readonly Permission[];
}

interface RoleFormProps {
  readonly first: RoleSummary;
  readonly action: string;
  readonly isBusy: boolean;
  readonly error: Error | null;
  readonly onSubmit: (role: { name: string; permissions: Permission[] }) => void;
  /** The initial name of a new role. */
  readonly isNew?: boolean;
  readonly children?: ReactNode;
}

export function RoleForm({ first, action, isBusy, error, onSubmit, isNew = false, children }: RoleFormProps) {
  const { t } = useTranslation("roles");
  const held = usePermissions();
  const [name, setName] = useState(first.name);
  const [chosen, setChosen] = useState<ReadonlySet<Permission>>(new Set(first.permissions));
  const isChanged =
    name !== first.name ||
    chosen.size !== first.permissions.length ||
    first.permissions.some((permission) => !chosen.has(permission));
  const submit = () => {
    onSubmit({ name, permissions: sortedPermissions(chosen) });
  };
  return (
    <Form
      onSubmit={submit}
      typed={[name, sortedPermissions(chosen)]}
      base={[first.name, sortedPermissions(new Set(first.permissions))]}
      error={error}
      // Another template in the URL remounts the form.
      goesWithSearch={isNew}
    >
      <Stack>
        {children}
        <TextInput
          label={t("name")}
          placeholder={t("nameExample")}
          required
          maxLength={100}
          maw={420}
          autoFocus={isNew}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={fieldError(error, "name")}
        />
        <PermissionPicker value={chosen} onChange={setChosen} held={held} />
        <ProblemAlert error={error} beside={["name"]} />
        <StickyBar shown={isNew || isChanged}>
          <Group gap="xs">
            <Button type="submit" loading={isBusy}>
              {action}
            </Button>
            {!isNew && (
              <Button
                variant="default"
                onClick={() => {
                  setName(first.name);
                  setChosen(new Set(first.permissions));
                }}
              >
                {t("discard")}
              </Button>
            )}
          </Group>
        </StickyBar>
      </Stack>
    </Form>
  );
}
