import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
} from "@mantine/core";
import i18next from "i18next";

/** The accent: verdigris. */
const verdigris: MantineColorsTuple = [
  "#e8f6f2",
  "#d3eae3",
  "#a6d5c7",
  "#76bfaa",
  "#4fac91",
  "#36a082",
  "#16755c",
  "#116550",
  "#0c5643",
  "#054635",
];

const ink: MantineColorsTuple = [
  "#c3ccd3",
  "#a9b4bd",
  "#8b98a3",
  "#5f6d79",
  "#3a4651",
  "#2b353f",
  "#1f2831",
  "#171f27",
  "#11181f",
  "#0b1116",
];

export const theme = createTheme({
  primaryColor: "verdigris",
  primaryShade: { light: 6, dark: 4 },
  autoContrast: true,
  respectReducedMotion: true,
  // The readable text colour on the accent depends on the colour scheme, so a CSS variable holds it.
  variantColorResolver: (input) => {
    const colors = defaultVariantColorsResolver(input);
    const isAccent = input.color === undefined || input.color === "verdigris";
    return input.variant === "filled" && isAccent ? { ...colors, color: "var(--app-on-accent)" } : colors;
  },
  colors: { verdigris, dark: ink },
  defaultRadius: "md",
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif',
  fontFamilyMonospace:
    'ui-monospace, "SF Mono", "Cascadia Mono", "Liberation Mono", Menlo, Consolas, monospace',
  fontSizes: { xs: "0.75rem", sm: "0.8125rem", md: "0.875rem", lg: "1rem", xl: "1.25rem" },
  headings: {
    fontWeight: "650",
    sizes: {
      h1: { fontSize: "1.375rem", lineHeight: "1.3" },
      h2: { fontSize: "1.0625rem", lineHeight: "1.35" },
      h3: { fontSize: "0.9375rem", lineHeight: "1.4" },
    },
  },
  components: {
    Button: { defaultProps: { size: "sm" } },
    Alert: {
      defaultProps: { radius: "lg" },
      styles: { root: { border: "1px solid color-mix(in srgb, var(--alert-color) 30%, transparent)" } },
    },
    Input: { classNames: { input: "field" } },
    TextInput: { defaultProps: { size: "sm" } },
    Tooltip: {
      defaultProps: { withArrow: true, openDelay: 250, events: { hover: true, focus: true, touch: true } },
    },
    ActionIcon: { defaultProps: { variant: "subtle", color: "gray" } },
    Badge: {
      defaultProps: { tt: "none", size: "sm", variant: "light" },
      // A badge is a word or two and is never truncated; on a phone the column grows.
      styles: { root: { overflow: "visible", flexShrink: 0 }, label: { overflow: "visible" } },
    },
    SegmentedControl: {
      styles: {
        root: {
          backgroundColor: "var(--app-sunken)",
          border: "1px solid var(--mantine-color-default-border)",
        },
        label: { paddingInline: "0.625rem" },
      },
    },
    // The element that would take the initial focus is not an item, and a menu may contain only items.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Modal: {
      defaultProps: () => ({
        centered: true,
        overlayProps: { backgroundOpacity: 0.45 },
        closeButtonProps: { "aria-label": i18next.t("close") },
        // The page already has a header landmark; a dialog's title bar is not another one.
        attributes: { header: { role: "presentation" } },
      }),
      styles: { title: { fontWeight: 650 } },
    },
    Drawer: {
      defaultProps: () => ({
        closeButtonProps: { "aria-label": i18next.t("close") },
        attributes: { header: { role: "presentation" } },
      }),
      // A focused field does not scroll behind the title bar or the buttons.
      styles: { title: { fontWeight: 650 }, content: { scrollPaddingBlock: "5rem" } },
    },
    Notification: {
      defaultProps: () => ({ closeButtonProps: { "aria-label": i18next.t("close") }, withBorder: true }),
      styles: { description: { color: "var(--mantine-color-text)" } },
    },
    Anchor: { defaultProps: { underline: "hover" } },
  },
});

/** Dimmed text still has enough contrast. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-body": "#ffffff",
    "--mantine-color-dimmed": "#56616b",
    "--mantine-color-error": "#c22626",
    "--mantine-color-placeholder": "#6d7882",
    "--mantine-color-default-border": "#dde2e6",
    "--mantine-color-orange-light": "#fff6e9",
    "--mantine-color-orange-light-color": "#8f3e00",
    "--mantine-color-verdigris-light": "#edf7f3",
    "--mantine-color-red-light": "#fef2f1",
    // The text colour of menu items.
    "--mantine-color-red-6": "#c92a2a",
    "--mantine-color-red-light-color": "#a61e1e",
    "--mantine-color-red-filled": "#c92a2a",
    "--mantine-color-red-filled-hover": "#b02525",
    "--app-on-accent": "#ffffff",
    "--app-sunken": "#f6f8f8",
  },
  dark: {
    "--mantine-color-body": "#11181f",
    "--mantine-color-dimmed": "#9aa7b2",
    "--mantine-color-error": "#ff8f8f",
    "--mantine-color-placeholder": "#84919c",
    "--mantine-color-default-border": "#2b353f",
    // In the dark theme, the background of a notification is only a little lighter than the page.
    "--mantine-color-verdigris-light": "#142924",
    "--mantine-color-orange-light": "#2d2318",
    "--mantine-color-orange-light-color": "#f0b37e",
    "--mantine-color-red-light": "#301c1f",
    "--mantine-color-red-light-color": "#f5a3a3",
    "--mantine-color-gray-light": "#1a232b",
    "--mantine-color-red-filled": "#d93636",
    "--mantine-color-red-filled-hover": "#c92a2a",
    "--app-on-accent": "#06231b",
    "--app-sunken": "#0b1116",
  },
});
