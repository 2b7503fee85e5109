import { useQueryClient } from "@tanstack/react-query";
import { createContext, use, useState, useSyncExternalStore, type ReactNode } from "react";
import { reloadAfterUpload } from "@/data/documents";
import { Uploads, type Upload } from "./uploads/uploads";

const Context = createContext<Uploads | null>(null);

/** Holds the files on their way, above the pages. */
export function UploadsProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const [uploads] = useState(() => new Uploads(() => void reloadAfterUpload(client)));
  return <Context value={uploads}>{children}</Context>;
}

/** The current uploads and their actions. */
export function useUploads(): [readonly Upload[], Uploads] {
  const uploads = use(Context);
  if (!uploads) throw new Error("useUploads needs an UploadsProvider above it");
  return [useSyncExternalStore(uploads.subscribe, uploads.all), uploads];
}
