/** The platforms with code samples. Their names are the same in every language. */
export const platforms = {
  curl: "curl",
  node: "Node.js",
  express: "Express",
  nestjs: "NestJS",
  python: "Python",
  fastapi: "FastAPI",
  django: "Django",
  java: "Java",
  spring: "Spring Boot",
} as const;
export type Platform = keyof typeof platforms;
