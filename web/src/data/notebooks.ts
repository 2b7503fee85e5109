/** Notebooks: sources that several people ask together. */
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { pagedQuery, readAll } from "@/api/pages";
import { newRequestId } from "@/api/request-id";
import { createConnector } from "@/gen/echomind/public/v1/connector_service_client";
import { sendMessage } from "@/gen/echomind/public/v1/chat_message_service_client";
import type { NotebookJson, NotebookMemberJson, NotebookRoleJson, NotebookSourceJson, NotebookTemplateJson } from "@/gen/echomind/public/v1/notebook_pb";
import type { NotebookNoteJson } from "@/gen/echomind/public/v1/notebook_note_pb";
import {
  createNotebookNote,
  deleteNotebookNote,
  getNotebookNote,
  listNotebookNotes,
  saveNotebookNote,
  updateNotebookNote,
} from "@/gen/echomind/public/v1/notebook_note_service_client";
import {
  addNotebookSources,
  createNotebook,
  deleteNotebook,
  getNotebook,
  getNotebookSummary,
  giveNotebookAccess,
  listNotebookMembers,
  listNotebooks,
  listNotebookSessions,
  listNotebookSources,
  purgeNotebook,
  removeNotebookGroup,
  removeNotebookMember,
  removeNotebookSources,
  requestNotebookSummary,
  restoreNotebook,
  setNotebookGroup,
  setNotebookMember,
  startNotebookTemplate,
  updateNotebook,
} from "@/gen/echomind/public/v1/notebook_service_client";
import { changesOf } from "./changes";
import type { Audience } from "./audiences";
import { sessionKeys } from "./sessions";

const all = ["notebooks"] as const;

/** Query keys of notebooks. */
export const notebookKeys = {
  all,
  lists: [...all, "list"] as const,
  list: (isRemoved: boolean) => [...all, "list", isRemoved ? "removed" : "active"] as const,
  /** Everything of one notebook. */
  whole: (id: string) => [...all, id] as const,
};

/** The user's notebooks, most recently used first; or removed ones that can be restored. */
export const notebooksQuery = (isRemoved: boolean) =>
  queryOptions({
    queryKey: notebookKeys.list(isRemoved),
    queryFn: ({ signal }) => readAll(listNotebooks, "notebooks", { removed: isRemoved }, signal),
  });

/** Everybody's notebooks whose title or description contains a text, for superadmins. */
export const allNotebooksQuery = (query: string, isRemoved: boolean) =>
  pagedQuery([...notebookKeys.lists, "all", query, isRemoved], listNotebooks, { all: true, query, removed: isRemoved });

/** One notebook. */
export const notebookQuery = (id: string) =>
  queryOptions({ queryKey: notebookKeys.whole(id), queryFn: ({ signal }) => getNotebook({ id }, { signal }) });

/** Milliseconds between looks at sources of which some are still being read. */
const POLL_MS = 3000;

/** Its sources; those that the user may not read have no title or document. */
export const notebookSourcesQuery = (id: string) =>
  queryOptions({
    queryKey: [...notebookKeys.whole(id), "sources"],
    queryFn: async ({ signal }) => (await listNotebookSources({ id }, { signal })).sources ?? [],
    refetchInterval: ({ state }) => (state.data?.some(isBeingRead) ? POLL_MS : false),
  });

/** Whether documents of a source are still being read. */
export function isBeingRead({ documents = 0, documentsReady = 0, documentsFailed = 0 }: NotebookSourceJson): boolean {
  return documents > documentsReady + documentsFailed;
}

/** The summary of the sources that the user may read, as they are now. */
export const notebookSummaryQuery = (id: string) =>
  queryOptions({
    queryKey: [...notebookKeys.whole(id), "summary"],
    queryFn: ({ signal }) => getNotebookSummary({ id }, { signal }),
    refetchInterval: ({ state }) => (state.data?.state === "NOTEBOOK_SUMMARY_STATE_PENDING" ? POLL_MS : false),
  });

/** Requests a summary of the sources. */
export function useRequestSummary(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => requestNotebookSummary({ id }),
    onSuccess: (summary) => client.setQueryData(notebookSummaryQuery(id).queryKey, summary),
  });
}

/** Its members: people, and groups with their people. */
export const notebookMembersQuery = (id: string) =>
  queryOptions({
    queryKey: [...notebookKeys.whole(id), "members"],
    queryFn: async ({ signal }) => {
      const { members = [], groups = [] } = await listNotebookMembers({ id }, { signal });
      return { members, groups };
    },
  });

/** The conversations of all members whose title or messages contain a text, the one with the newest message first. */
export const notebookSessionsQuery = (id: string, query = "") =>
  pagedQuery([...notebookKeys.whole(id), "sessions", query], listNotebookSessions, { id, query });

/** Title, description and instructions of a notebook. */
export type NotebookValues = Pick<NotebookJson, "title" | "description" | "instructions">;

const useChange = changesOf(all, sessionKeys.lists);

/** Creates a notebook, or updates the one with this ID. */
export function useSaveNotebook() {
  return useChange(({ id, ...notebook }: NotebookValues & { id?: string }) =>
    id ? updateNotebook({ id, notebook }) : createNotebook({ notebook }),
  );
}

/** Changes the tools that a notebook allows besides its sources. */
export function useSetTools(id: string) {
  return useChange((tools: string[]) => updateNotebook({ id, notebook: { tools } }));
}

/** Removes a notebook, brings it back, or deletes it permanently. */
export function useNotebookEnd() {
  return useChange(async ({ id, end }: { id: string; end: "remove" | "restore" | "purge" }) => {
    await { remove: deleteNotebook, restore: restoreNotebook, purge: purgeNotebook }[end]({ id });
  });
}

/** Adds sources. */
export function useAddSources(id: string) {
  return useChange((sources: { connectorIds: number[]; documentIds: string[] }) => addNotebookSources({ id, ...sources }));
}

/** Adds pages of web sites, each by its address: a source that is read once, without following links. */
export function useAddPages(id: string) {
  return useChange(async ({ addresses, audience }: { addresses: readonly string[]; audience: Audience }) => {
    const connectorIds: number[] = [];
    for (const address of addresses) {
      const { id: connectorId = 0 } = await createConnector({
        connector: {
          name: address.replace(/^https?:\/\//u, "").slice(0, 255),
          typeName: "web",
          config: { start_urls: [address], sitemaps: false, max_depth: 0, max_pages: 1 },
          scope: audience.scope,
          scopeId: audience.group,
        },
      });
      connectorIds.push(connectorId);
    }
    return addNotebookSources({ id, connectorIds });
  });
}

/** Gives all members access to sources. */
export function useGiveAccess(id: string) {
  return useChange((sourceIds: string[]) => giveNotebookAccess({ id, sourceIds }));
}

/** Removes sources. */
export function useRemoveSources(id: string) {
  return useChange((sourceIds: string[]) => removeNotebookSources({ id, sourceIds }));
}

/** Adds a member by name or e-mail, or changes a member's role. */
export function useSetMember(id: string) {
  return useChange((member: Pick<NotebookMemberJson, "userName" | "userId"> & { role: NotebookRoleJson }) => setNotebookMember({ id, ...member }));
}

/** Removes a member. */
export function useRemoveMember(id: string) {
  return useChange((userId: number) => removeNotebookMember({ id, userId }));
}

/** Adds a group, or changes its role. */
export function useSetGroup(id: string) {
  return useChange((group: { groupId: number; role: NotebookRoleJson }) => setNotebookGroup({ id, ...group }));
}

/** Removes a group. */
export function useRemoveGroup(id: string) {
  return useChange((groupId: number) => removeNotebookGroup({ id, groupId }));
}

/** Asks in a new conversation of a notebook; returns the conversation's id. */
export function useAskInNotebook(id: string) {
  return useChange(async (content: string) => {
    const { run } = await sendMessage({ chatSessionId: "-", content, notebookId: id, requestId: newRequestId() });
    return String(run?.chatSessionId ?? 0);
  });
}

/** Asks a question from a template; returns the conversation's id. */
export function useStartTemplate(id: string) {
  return useChange(async (values: { template: NotebookTemplateJson; fields?: string[]; language: string }) => {
    const { run } = await startNotebookTemplate({ id, ...values, requestId: newRequestId() });
    return String(run?.chatSessionId ?? 0);
  });
}

/** The notes of a notebook that the user may read, newest first. */
export const notebookNotesQuery = (id: string) =>
  queryOptions({
    queryKey: [...notebookKeys.whole(id), "notes"],
    queryFn: ({ signal }) => readAll(listNotebookNotes, "notes", { notebookId: id }, signal),
  });

/** Writes a note, or changes the one with this ID. */
export function useSaveNote(notebookId: string) {
  return useChange(({ id, expectedLastUpdate, ...note }: NoteValues) =>
    id ? updateNotebookNote({ id, note, ...(expectedLastUpdate && { expectedLastUpdate }) }) : createNotebookNote({ notebookId, note }),
  );
}

/** A note to write, or to change if nobody has changed it since it was read. */
type NoteValues = Pick<NotebookNoteJson, "title" | "content"> & { id?: string; expectedLastUpdate?: string | undefined };

/** Reads a note as it is now. */
export const readNote = (id: string) => getNotebookNote({ id });

/** Keeps an answer of a conversation of a notebook as a note. */
export function useKeepAnswer(notebookId: string) {
  return useChange((messageId: string) => saveNotebookNote({ notebookId, messageId }));
}

/** Deletes a note permanently. */
export function useDeleteNote() {
  return useChange((id: string) => deleteNotebookNote({ id }));
}

/** Whether a role may change sources and instructions. */
export function canEdit(role: NotebookRoleJson | undefined): boolean {
  return role === "NOTEBOOK_ROLE_EDITOR" || role === "NOTEBOOK_ROLE_OWNER";
}
