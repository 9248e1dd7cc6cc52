/** The program that draws the API reference. Its package installs 290 MB, and this file needs none of it. */
export const scalar = {
  name: "@scalar/api-reference",
  version: "1.72.1",
  integrity:
    "sha512-XpEJ0rfc/cXbCrR+iC4kK0o/WwX2dTtGQbT049OlPKAHD6IMIFdTeGz2r+M27P2EDWKyUITRm/NzlP8z2pw/Ow==",
  file: "dist/browser/standalone.js",
};

/** What it can contain of others: the packages that its package depends on, by their licenses. */
export const scalarNotice = `Scalar API reference ${scalar.version} (MIT), in the documentation, unchanged

Copyright (c) 2023-present Scalar

The documentation contains the published program of Scalar, which is built from the npm packages below. The texts of
their licenses are in these packages.

MIT: @babel/helper-string-parser, @babel/helper-validator-identifier, @babel/parser, @babel/types,
@codemirror/autocomplete, @codemirror/commands, @codemirror/lang-css, @codemirror/lang-html,
@codemirror/lang-javascript, @codemirror/lang-json, @codemirror/lang-xml, @codemirror/lang-yaml,
@codemirror/language, @codemirror/lint, @codemirror/state, @codemirror/streamparser, @codemirror/view,
@floating-ui/core, @floating-ui/dom, @floating-ui/utils, @floating-ui/vue, @headlessui/tailwindcss, @headlessui/vue,
@jridgewell/sourcemap-codec, @lezer/common, @lezer/css, @lezer/highlight, @lezer/html, @lezer/javascript,
@lezer/json, @lezer/lr, @lezer/xml, @lezer/yaml, @marijn/find-cluster-break, @phosphor-icons/core,
@replit/codemirror-css-color-picker, @scalar/agent-chat, @scalar/api-client, @scalar/api-reference,
@scalar/asyncapi-upgrader, @scalar/blocks, @scalar/code-highlight, @scalar/components, @scalar/helpers,
@scalar/icons, @scalar/json-magic, @scalar/localization, @scalar/oas-utils, @scalar/openapi-to-markdown,
@scalar/openapi-types, @scalar/openapi-upgrader, @scalar/schemas, @scalar/sidebar, @scalar/snippetz, @scalar/themes,
@scalar/typebox, @scalar/types, @scalar/use-codemirror, @scalar/use-hooks, @scalar/use-toasts, @scalar/validation,
@scalar/workspace-store, @standard-schema/spec, @tanstack/virtual-core, @tanstack/vue-virtual, @unhead/vue,
@vue/compiler-core, @vue/compiler-dom, @vue/compiler-sfc, @vue/compiler-ssr, @vue/reactivity, @vue/runtime-core,
@vue/runtime-dom, @vue/server-renderer, @vue/shared, @vueuse/core, @vueuse/integrations, @vueuse/metadata,
@vueuse/shared, aria-hidden, bail, ccount, chalk, character-entities, character-entities-html4,
character-entities-legacy, clsx, collapse-white-space, comma-separated-tokens, crelt, csstype, debug,
decode-named-character-reference, defu, dequal, devlop, escape-string-regexp, estree-walker, eventsource-parser,
extend, fast-deep-equal, focus-trap, guess-json-indent, hast-util-embedded, hast-util-format, hast-util-from-html,
hast-util-from-parse5, hast-util-has-property, hast-util-is-body-ok-link, hast-util-is-element,
hast-util-minify-whitespace, hast-util-parse-selector, hast-util-phrasing, hast-util-raw, hast-util-sanitize,
hast-util-to-html, hast-util-to-mdast, hast-util-to-parse5, hast-util-to-text, hast-util-whitespace, hastscript,
hookable, html-void-elements, html-whitespace-sensitive-tag-names, is-absolute-url, is-plain-obj, jsonc-parser,
longest-streak, lowlight, magic-string, markdown-table, mdast-util-find-and-replace, mdast-util-from-markdown,
mdast-util-gfm, mdast-util-gfm-autolink-literal, mdast-util-gfm-footnote, mdast-util-gfm-strikethrough,
mdast-util-gfm-table, mdast-util-gfm-task-list-item, mdast-util-phrasing, mdast-util-to-hast,
mdast-util-to-markdown, mdast-util-to-string, microdiff, micromark, micromark-core-commonmark,
micromark-extension-gfm, micromark-extension-gfm-autolink-literal, micromark-extension-gfm-footnote,
micromark-extension-gfm-strikethrough, micromark-extension-gfm-table, micromark-extension-gfm-tagfilter,
micromark-extension-gfm-task-list-item, micromark-factory-destination, micromark-factory-label,
micromark-factory-space, micromark-factory-title, micromark-factory-whitespace, micromark-util-character,
micromark-util-chunked, micromark-util-classify-character, micromark-util-combine-extensions,
micromark-util-decode-numeric-character-reference, micromark-util-decode-string, micromark-util-edit-map,
micromark-util-encode, micromark-util-html-tag-name, micromark-util-normalize-identifier,
micromark-util-resolve-all, micromark-util-sanitize-uri, micromark-util-subtokenize, micromark-util-symbol,
micromark-util-types, ms, nanoid, neverpanic, parse-ms, parse5, pathe, postcss, pretty-ms, property-information,
radix-vue, rehype-external-links, rehype-format, rehype-minify-whitespace, rehype-parse, rehype-raw, rehype-remark,
rehype-sanitize, rehype-stringify, remark-gfm, remark-parse, remark-rehype, remark-stringify, set-cookie-parser,
space-separated-tokens, string-byte-length, string-byte-slice, stringify-entities, style-mod, tabbable, tagged-tag,
tailwind-merge, trim-lines, trim-trailing-lines, trough, truncate-json, undici, unhead, unified, unist-util-is,
unist-util-position, unist-util-stringify-position, unist-util-visit, unist-util-visit-parents, vfile,
vfile-location, vfile-message, vue, vue-component-type-helpers, vue-demi, vue-sonner, w3c-keyname, web-namespaces,
zod, zwitch
Apache-2.0: @ai-sdk/gateway, @ai-sdk/provider, @ai-sdk/provider-utils, @ai-sdk/vue, @internationalized/date,
@internationalized/number, @opentelemetry/api, @swc/helpers, @vercel/oidc, ai, cva, fuse.js, swrv
AFL-2.1 OR BSD-3-Clause: json-schema
BSD-3-Clause: highlight.js, js-base64, source-map-js
ISC: @ungap/structured-clone, flatted, picocolors, yaml
BSD-2-Clause: entities
0BSD: tslib
MIT OR CC0-1.0: type-fest`;
