/** Which modules come with the frame: all that the entry imports, directly or not, apart from what it imports later. */

/** What the bundler knows of the modules. */
interface Modules {
  getModuleInfo: (id: string) => { importedIds: readonly string[] } | null;
}

/**
 * Names the chunk of a module: `frame` for those of the frame, so that they are one file and not the fifty that they
 * share with the pages one by one. The rest is divided by the bundler.
 *
 * @param entry The path of the entry.
 */
export function frameChunk(entry: string) {
  let frame: Set<string> | undefined;
  return (id: string, modules: Modules): string | null => {
    frame ??= closure(entry, modules);
    return frame.has(id) ? "frame" : null;
  };
}

function closure(entry: string, modules: Modules): Set<string> {
  const found = new Set([entry]);
  // A set is walked with what is added meanwhile.
  for (const id of found) for (const imported of modules.getModuleInfo(id)?.importedIds ?? []) found.add(imported);
  return found;
}
