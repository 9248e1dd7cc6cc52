/** For the User-Agent header. */
export const userAgent = "countersign-express/0.2.0";
