import { Button, Group } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useChange } from "../../api/queries.ts";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import type { Import } from "./license-import.ts";

/** Stops a running import. Rows that are already imported stay, so there is no confirmation. */
export function CancelImport({ job }: { job: Import }) {
  const { t } = useTranslation("license-files");
  const cancel = useChange("cancelLicenseImport");
  if (job.state === "undoing" || job.state === "receiving") return null;
  return (
    <>
      <ProblemAlert error={cancel.error} />
      <Group gap="xs">
        <Button
          variant="default"
          loading={cancel.isPending || cancel.isSuccess}
          onClick={() => cancel.mutate({ params: { product_id: job.product_id, import_id: job.id } })}
        >
          {t(job.dry_run ? "cancelCheck" : "cancelImport")}
        </Button>
      </Group>
    </>
  );
}
