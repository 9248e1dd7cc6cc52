/** The words of each feature by its name, which is the name of their file. */
export function byFeature(files: Record<string, unknown>): Record<string, object> {
  return Object.fromEntries(
    Object.entries(files).map(([path, words]) => [path.replace(/^\.\/|\.json$/g, ""), words as object]),
  );
}
