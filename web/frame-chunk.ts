/** Which modules come with the frame: all that the entry imports, directly or not, apart from what it imports later. */

/** What the bundler knows of a module. */
interface Module {
  code: string | null;
  importedIds: readonly string[];
}

/** What the bundler knows of the modules. */
interface Modules {
  getModuleInfo: (id: string) => Module | null;
}

/** The module by which icons are imported. It imports each icon, and so says nothing of who needs which. */
const ICONS = /\/lucide-react\/dist\/esm\/lucide-react\.m?js$/;
const IMPORTED_ICONS = /import\s*\{([^}]*)\}\s*from\s*["']lucide-react["']/g;
const EXPORTED_ICON = /export\s*\{([^}]*)\}\s*from\s*["']\.\/(icons\/[\w-]+\.m?js)["']/g;

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
  const icons = new Set<string>();
  // A set is walked with what is added meanwhile.
  for (const id of found) {
    const module = modules.getModuleInfo(id);
    if (!module) continue;
    for (const [, names = ""] of (module.code ?? "").matchAll(IMPORTED_ICONS)) for (const name of words(names)) icons.add(name);
    for (const imported of module.importedIds) if (!ICONS.test(id) || !imported.includes("/icons/")) found.add(imported);
  }
  for (const id of [...found].filter((each) => ICONS.test(each))) {
    const folder = id.slice(0, id.lastIndexOf("/") + 1);
    for (const [, names = "", file = ""] of (modules.getModuleInfo(id)?.code ?? "").matchAll(EXPORTED_ICON))
      if (words(names).some((name) => icons.has(name))) found.add(folder + file);
  }
  return found;
}

/** The names of a list of imports or exports: of `default as Trash` both are. */
function words(names: string): string[] {
  return names.split(/[\s,]+/).filter((name) => name && name !== "as" && name !== "default" && name !== "type");
}
