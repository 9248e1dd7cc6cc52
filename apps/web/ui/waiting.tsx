import { Skeleton, Stack } from "@mantine/core";
import { Page } from "./page.tsx";

/** A placeholder with the shape of a page, so that the layout does not shift. */
export function Waiting() {
  return (
    <Page>
      <Stack gap="md" aria-hidden="true">
        <Skeleton height={26} width={220} />
        <Skeleton height={38} />
        {[0, 1, 2, 3, 4, 5].map((line) => (
          <Skeleton key={line} height={34} />
        ))}
      </Stack>
    </Page>
  );
}
