import { createContext, use, useSyncExternalStore } from "react";
import type { Upload, Uploads } from "./uploads";

const Context = createContext<Uploads | null>(null);

export const UploadsProvider = Context;

/** The files on their way, and what one can do with them. */
export function useUploads(): [readonly Upload[], Uploads] {
  const uploads = use(Context);
  if (!uploads) throw new Error("useUploads needs an UploadsProvider above it");
  return [useSyncExternalStore(uploads.subscribe, uploads.all), uploads];
}
