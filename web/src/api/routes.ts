/** The routes that the contract does not have: sign-in of browsers, and the bytes of files. */
import type { DocumentJson } from "@/gen/echomind/public/v1/document_pb";
import type { UserJson } from "@/gen/echomind/public/v1/user_pb";
import { addressOf } from "@/ui/base-path";
import { request, send, upload } from "./http";

const DOCUMENTS = "/api/v1/documents";
const DOWNLOAD = /^\/api\/v1\/documents\/\d+:download$/;

/** The URL that signs in at an OpenID provider and returns to a path of this application. */
export function providerSignInUrl(provider: string, path: string): string {
  return addressOf(`/auth/oidc/${provider}?${new URLSearchParams({ path }).toString()}`);
}

/** A provider that people sign in at, and whether the reader's account is connected with it. */
export interface ProviderConnection {
  name: string;
  title: string;
  isConnected: boolean;
}

/** Reads which providers open the reader's account. */
export async function listProviderConnections(signal: AbortSignal): Promise<ProviderConnection[]> {
  const { connections } = await request<{ connections: ProviderConnection[] }>("GET", "/auth/connections", { signal });
  return connections;
}

/** Begins to connect the reader's account with a person at a provider; returns where they prove who they are. */
export async function connectProvider(name: string): Promise<string> {
  const { url } = await request<{ url: string }>("POST", `/auth/oidc/${name}/connection`);
  return url;
}

/** The URL that signs in at an OpenID provider to show what it sends, without an account and a session. */
export function providerTestUrl(provider: string): string {
  return addressOf(`/auth/oidc/${provider}?test=true`);
}

/** The address to which an OpenID provider sends browsers back. */
export function providerCallbackUrl(provider: string): string {
  return new URL(addressOf(`/auth/oidc/${provider}/callback`), location.href).href;
}

/** The address at which identity systems maintain accounts. */
export function scimUrl(): string {
  return new URL(addressOf("/scim/v2"), location.href).href;
}

/** The description of the API for programs. */
export const OPENAPI_URL = addressOf("/api/v1/openapi.json");

/** Creates a web session. */
export async function signIn(userName: string, password: string): Promise<void> {
  await send("POST", "/auth/sign-in", { body: { userName, password } });
}

/** Ends the web session; returns where to sign out at the provider as well, or "" if nowhere. */
export async function signOut(): Promise<string> {
  const { providerUrl } = await request<{ providerUrl: string }>("POST", "/auth/sign-out");
  return providerUrl;
}

/** A file to upload, and its visibility. */
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

/** Returns the URL of a document's file. */
export function downloadUrl(documentId: string): string {
  return addressOf(`${DOCUMENTS}/${documentId}:download`);
}

/** Whether a URL is that of any document's file. */
export function isDownload(address: string): boolean {
  const { origin, pathname } = new URL(address, location.href);
  const path = pathname.startsWith(addressOf("/")) ? pathname.slice(addressOf("").length) : "";
  return origin === location.origin && DOWNLOAD.test(path);
}

/** Returns the URL of the export of what is stored of a person. */
export function exportUrl(userId: number): string {
  return addressOf(`/api/v1/users/${userId}:export`);
}

/** The offer of an invitation. */
export interface InvitationOffer {
  /** The account's e-mail address; empty if the invited person enters one. */
  email: string;
  invitedBy: string;
  expiresAt: string;
}

/** Reads the offer of an invitation. */
export function readInvitation(token: string, signal: AbortSignal): Promise<InvitationOffer> {
  return request("POST", "/auth/invitation", { body: { token }, signal });
}

/** Creates the account of an invitation, and starts its web session. */
export async function join(token: string, user: UserJson, password: string): Promise<void> {
  await send("POST", "/auth/join", { body: { token, user, password } });
}

/** The offer of a password link. */
export interface PasswordOffer {
  userName: string;
  expiresAt: string;
}

/** Reads whose password a link sets. */
export function readPasswordLink(token: string, signal: AbortSignal): Promise<PasswordOffer> {
  return request("POST", "/auth/password-link", { body: { token }, signal });
}

/** Sets a password by a link, and starts a web session. */
export async function setPasswordByLink(token: string, password: string): Promise<void> {
  await send("POST", "/auth/password", { body: { token, password } });
}
