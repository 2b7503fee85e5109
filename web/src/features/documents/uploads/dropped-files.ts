/** Files that were chosen or dropped, with folders opened. */

/** A file and its path from the folder that was dropped, or its name. */
export interface DroppedFile {
  file: File;
  path: string;
}

/** Files chosen with the browser's dialog. */
export function chosenFiles(files: FileList | null): DroppedFile[] {
  return Array.from(files ?? [], (file) => ({ file, path: file.webkitRelativePath || file.name }));
}

/** Dropped files, and files in dropped folders except hidden ones. */
export async function droppedFiles(transfer: DataTransfer): Promise<DroppedFile[]> {
  // Read the entries before the first await: the browser clears the list afterwards.
  const dropped = Array.from(transfer.items, (item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  const plain = dropped.flatMap(({ entry, file }) => (!entry && file ? [{ file, path: file.name }] : []));
  const found = await Promise.all(dropped.flatMap(({ entry }) => (entry ? [filesUnder(entry)] : [])));
  return [...plain, ...found.flat()];
}

async function filesUnder(entry: FileSystemEntry): Promise<DroppedFile[]> {
  if (entry.name.startsWith(".")) return [];
  if (entry.isFile) return [{ file: await fileOf(entry as FileSystemFileEntry), path: entry.fullPath.replace(/^\//, "") }];
  const children = await childrenOf(entry as FileSystemDirectoryEntry);
  return (await Promise.all(children.map(filesUnder))).flat();
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const children: FileSystemEntry[] = [];
  for (;;) {
    // readEntries returns at most a hundred at a time, and none at the end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return children;
    children.push(...some);
  }
}
