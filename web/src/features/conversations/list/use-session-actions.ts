import { useLingui } from "@lingui/react/macro";
import { useLocation } from "wouter";
import { readMemoriesOf } from "@/data/memories";
import { readExport, readExports, useSessionActions } from "@/data/sessions";
import { useConversations } from "@/features/chat/ConversationsProvider";
import { askToForget } from "@/features/memories/ForgetPrompt";
import type { ChatSessionJson } from "@/gen/echomind/public/v1/chat_session_pb";
import type { ExportFormatJson } from "@/gen/echomind/public/v1/chat_session_service_pb";
import type { MemoryJson } from "@/gen/echomind/public/v1/memory_pb";
import { showFailure, showToast } from "@/ui/toasts";

/** Actions of conversations in a list; those that can be undone are executed immediately. */
export function useListActions() {
  const { t } = useLingui();
  const actions = useSessionActions();
  const conversations = useConversations();
  const [path, navigate] = useLocation();
  const leave = (sessions: readonly ChatSessionJson[]) => {
    for (const { id } of sessions) conversations.forget(String(id));
    if (sessions.some(({ id }) => path === `/chat/${id}`)) navigate("/");
  };
  const each = async (sessions: readonly ChatSessionJson[], work: (id: string) => Promise<void>) => {
    const results = await Promise.allSettled(sessions.map(({ id }) => work(String(id))));
    const failed = results.find((result) => result.status === "rejected");
    if (failed) showFailure(failed.reason as Error);
    return !failed;
  };
  const undoable = (message: string, undo: () => Promise<unknown>) => showToast({ message, action: { label: t`Undo`, run: undo } });
  return {
    pin: (session: ChatSessionJson) => each([session], (id) => actions.update(id, { pinned: !session.pinned })),
    archive: async (sessions: readonly ChatSessionJson[], archived: boolean) => {
      if (!(await each(sessions, (id) => actions.update(id, { archived })))) return;
      const message = sessions.length > 1 ? (archived ? t`Conversations archived` : t`Conversations moved back to the list`) : archived ? t`Conversation archived` : t`Conversation moved back to the list`;
      undoable(message, () => each(sessions, (id) => actions.update(id, { archived: !archived })));
    },
    remove: async (sessions: readonly ChatSessionJson[]) => {
      leave(sessions);
      if (!(await each(sessions, (id) => actions.remove(id, false)))) return;
      undoable(sessions.length > 1 ? t`Conversations deleted` : t`Conversation deleted`, () => each(sessions, actions.restore));
      askToForget(await remembered(sessions));
    },
    restore: async (sessions: readonly ChatSessionJson[]) => {
      if (!(await each(sessions, actions.restore))) return;
      undoable(sessions.length > 1 ? t`Conversations restored` : t`Conversation restored`, () => each(sessions, (id) => actions.remove(id, false)));
    },
    purge: async (sessions: readonly ChatSessionJson[]) => {
      leave(sessions);
      const memories = await remembered(sessions);
      await Promise.all(sessions.map(({ id }) => actions.remove(String(id), true)));
      askToForget(memories);
    },
    downloadAll: async (sessions: readonly ChatSessionJson[]) => {
      try {
        save(await readExports(sessions.map(({ id }) => String(id))));
      } catch (error) {
        showFailure(error as Error);
      }
    },
    download: async (session: ChatSessionJson, format: ExportFormatJson) => {
      try {
        save(await readExport(String(session.id), format));
      } catch (error) {
        showFailure(error as Error);
      }
    },
  };
}

/** Returns the memories from conversations, without those that could not be read. */
async function remembered(sessions: readonly ChatSessionJson[]): Promise<MemoryJson[]> {
  try {
    return await readMemoriesOf(sessions.map(({ id }) => String(id)));
  } catch (error) {
    showFailure(error as Error);
    return [];
  }
}

/** Downloads a file. */
function save(file: File): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = url;
  link.download = file.name;
  link.click();
  URL.revokeObjectURL(url);
}
