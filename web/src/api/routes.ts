/** The routes that the contract does not have: sign-in of browsers, and the bytes of files. */
import type { DocumentJson } from "@/gen/echomind/public/v1/document_pb";
import { addressOf } from "@/ui/base-path";
import { send, upload } from "./http";

const DOCUMENTS = "/api/v1/documents";

/** Where people sign in who have an account with the organisation's identity provider. */
export const PROVIDER_SIGN_IN_URL = addressOf("/auth/login");

/** Begins a web session. */
export async function signIn(userName: string, password: string): Promise<void> {
  await send("POST", "/auth/sign-in", { body: { userName, password } });
}

/** Ends the web session. */
export async function signOut(): Promise<void> {
  await send("POST", "/auth/sign-out");
}

/** A file to store, and who may read it. */
export interface FileUpload {
  file: File;
  /** Identifies it in its connector: its name, or its path from the folder that was dropped. */
  sourceId: string;
  scope: "SCOPE_USER" | "SCOPE_GROUP" | "SCOPE_ORG";
  /** The group; empty for another scope. */
  group: string;
}

/** Stores a file as a document, reporting how much is sent (0 to 1). */
export async function uploadDocument(
  { file, sourceId, scope, group }: FileUpload,
  onProgress: (sent: number) => void,
  signal: AbortSignal,
): Promise<DocumentJson> {
  const form = new FormData();
  form.append("sourceId", sourceId);
  if (scope !== "SCOPE_USER") form.append("scope", scope);
  if (group) form.append("group", group);
  form.append("file", file, file.name);
  const { documents } = await upload<{ documents: DocumentJson[] }>(`${DOCUMENTS}:upload`, form, onProgress, signal);
  return documents[0] ?? {};
}

/** Where a document's bytes are. */
export function downloadUrl(documentId: string): string {
  return addressOf(`${DOCUMENTS}/${documentId}:download`);
}
