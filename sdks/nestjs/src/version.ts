/** For the User-Agent header. */
export const userAgent = "countersign-nestjs/0.2.0";
