/** What programs can be shown for, by the names they have in every language. */
export const platforms = {
  curl: "curl",
  node: "Node.js",
  express: "Express",
  nestjs: "NestJS",
  python: "Python",
  java: "Java",
} as const;
export type Platform = keyof typeof platforms;
