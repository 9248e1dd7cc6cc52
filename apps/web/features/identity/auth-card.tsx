import { Button, Paper, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import { useTranslation } from "react-i18next";
import classes from "./auth-card.module.css";

interface AuthCardProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly children?: ReactNode;
  /** Below the card: a link to an alternative. */
  readonly foot?: ReactNode;
}

/** A card in the middle of the page. Its title is also the browser tab's. */
export function AuthCard({ title, lead, children, foot }: AuthCardProps) {
  useEffect(() => {
    document.title = `${title} · Countersign`;
  }, [title]);
  return (
    <>
      <Paper withBorder radius="lg" className={classes.card ?? ""}>
        <Stack gap={4} mb={children === undefined ? 0 : "md"}>
          <Title order={1}>{title}</Title>
          {lead !== undefined && <Text c="dimmed">{lead}</Text>}
        </Stack>
        {children}
      </Paper>
      {foot !== undefined && foot !== false && (
        <Text ta="center" c="dimmed" mt="md" size="sm" component="div">
          {foot}
        </Text>
      )}
    </>
  );
}

/** In a card after which there is nothing else to do. */
export function ToSignInButton() {
  const { t } = useTranslation("identity");
  return (
    <Button component={Link} to="/sign-in" variant="default" fullWidth>
      {t("toSignIn")}
    </Button>
  );
}
