/** The bytes of documents, which are no methods of the contract. */
import type { CallOptions } from "./call.js";
import type { EchoMind } from "./client.js";
import type { DocumentJson } from "./gen/echomind/public/v1/document_pb.js";

/** Where uploaded files go. */
export interface UploadOptions extends CallOptions {
  /** Name or ID of the connector, which is created if there is none of the name; by default the usual one. */
  connector?: string;
  /** Who may read what a new connector has. */
  scope?: "user" | "group" | "org";
  /** The group, with the scope `group`. */
  group?: string;
}

/** Uploads files; returns their documents in order. The same bytes under the same name are stored once. */
export async function uploadDocuments(client: EchoMind, files: readonly File[], options: UploadOptions = {}): Promise<DocumentJson[]> {
  const { signal, connector, scope, group } = options;
  const body = new FormData();
  for (const [name, value] of Object.entries({ connector, scope, group })) if (value) body.append(name, value);
  for (const file of files) body.append("file", file, file.name);
  const parts = { query: new URLSearchParams(), body, accept: "application/json", signal };
  const response = await client.send("POST", "/api/v1/documents:upload", parts);
  return ((await response.json()) as { documents?: DocumentJson[] }).documents ?? [];
}

/** Returns the bytes of a document, as they were uploaded. */
export async function downloadDocument(client: EchoMind, id: string | number, { signal }: CallOptions = {}): Promise<Blob> {
  const parts = { query: new URLSearchParams(), body: undefined, accept: "*/*", signal };
  return (await client.send("GET", `/api/v1/documents/${encodeURIComponent(id)}:download`, parts)).blob();
}
