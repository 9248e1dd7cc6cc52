/** The platforms with code samples. Their names are the same in every language. */
export const platforms = {
  curl: "curl",
  node: "Node.js",
  express: "Express",
  nestjs: "NestJS",
  python: "Python",
  java: "Java",
} as const;
export type Platform = keyof typeof platforms;
