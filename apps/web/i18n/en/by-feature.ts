/** The texts of each feature, by the name of their file. */
export function byFeature(files: Record<string, unknown>): Record<string, object> {
  return Object.fromEntries(
    Object.entries(files).map(([path, words]) => [path.replace(/^\.\/|\.json$/g, ""), words as object]),
  );
}
