import { useData } from "vitepress";
import { defineComponent, h, onMounted, onUnmounted, ref, watch } from "vue";

/** The part of Scalar that is used here. */
interface Scalar {
  readonly createApiReference: (
    element: Element,
    configuration: object,
  ) => { readonly updateConfiguration: (configuration: object) => void; readonly destroy: () => void };
}

/** Its program, which the build puts beside the pages. */
const program = "/docs/scalar.js";

/** The API reference, drawn from this server's OpenAPI document. It asks no other host for anything. */
export const ApiReference = defineComponent({
  setup() {
    const { isDark } = useData();
    const place = ref<Element>();
    const failed = ref(false);
    let shown: ReturnType<Scalar["createApiReference"]> | null = null;
    onMounted(async () => {
      try {
        const { createApiReference } = await loadScalar();
        if (place.value !== undefined) shown = createApiReference(place.value, configuration(isDark.value));
      } catch {
        failed.value = true;
      }
    });
    onUnmounted(() => shown?.destroy());
    watch(isDark, (dark) => shown?.updateConfiguration(configuration(dark)));
    return () => [
      h("noscript", "The API reference needs JavaScript. The OpenAPI document is at /openapi.json."),
      failed.value
        ? h(
            "p",
            { class: "api-reference-failed", role: "alert" },
            "The API reference could not be loaded. Try again.",
          )
        : null,
      h("div", { ref: place, class: "api-reference" }),
    ];
  },
});

function configuration(isDark: boolean): object {
  return {
    url: "/openapi.json",
    theme: "none",
    withDefaultFonts: false,
    forceDarkModeState: isDark ? "dark" : "light",
    hideDarkModeToggle: true,
    // A request from here would be sent with the session of the user who is signed in to the dashboard.
    hideTestRequestButton: true,
    // The site's own search has K.
    searchHotKey: "j",
    hideClientButton: true,
    showDeveloperTools: "never",
    telemetry: false,
    persistAuth: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    documentDownloadType: "direct",
    defaultOpenFirstTag: false,
    operationTitleSource: "summary",
    // Links to an operation are by its ID, which does not change.
    generateOperationSlug: ({ operationId, method, path }: Record<string, string | undefined>) =>
      operationId ?? `${method}${path}`,
    defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
    hiddenClients: hiddenClients,
  };
}

/** Only the examples that people are likely to use. */
const hiddenClients = {
  ...Object.fromEntries(
    ["c", "clojure", "dart", "fsharp", "http", "js", "kotlin", "objc", "ocaml", "r", "swift"].map((name) => [
      name,
      true,
    ]),
  ),
};

function loadScalar(): Promise<Scalar> {
  const loaded = () => (window as unknown as { Scalar?: Scalar }).Scalar;
  return new Promise((resolve, reject) => {
    const scalar = loaded();
    if (scalar !== undefined) return resolve(scalar);
    const script = document.createElement("script");
    script.src = program;
    script.onload = () => {
      const scalar = loaded();
      if (scalar === undefined) reject(new Error(`${program} is not Scalar.`));
      else resolve(scalar);
    };
    script.onerror = () => reject(new Error(`${program} could not be loaded.`));
    document.head.append(script);
  });
}
