import { useLingui } from "@lingui/react/macro";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { navigate } from "wouter/use-browser-location";
import { isOver, waitingRunsQuery } from "@/data/runs";
import { sessionQuery } from "@/data/sessions";
import { createRefresher, followUserEvents } from "@/data/user-events";
import { useConversations } from "@/features/chat/ConversationsProvider";
import type { UserEventJson } from "@/gen/echomind/public/v1/user_event_pb";
import { isNotifying } from "@/ui/notifications";

/** Keeps pages up to date, and reports waiting and ended runs in the title and by notifications. */
export function LiveUpdates() {
  const { t } = useLingui();
  const client = useQueryClient();
  const conversations = useConversations();
  const { data: waiting = [] } = useQuery(waitingRunsQuery);
  const [ended, setEnded] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const refresh = createRefresher(client, (session) => conversations.get(session).isFollowing);
    const notify = async ({ id = "", chatSessionId = 0, runStatus }: UserEventJson) => {
      const { title } = await client.query(sessionQuery(String(chatSessionId)));
      const body = isOver(runStatus) ? t`The run has ended.` : t`The run waits for you.`;
      const notification = new Notification(title || "EchoMind", { body, tag: id });
      notification.onclick = () => {
        window.focus();
        navigate(`/chat/${chatSessionId}`);
        notification.close();
      };
    };
    return followUserEvents((event, isFirstHand) => {
      refresh(event);
      const isNews = event.kind === "USER_EVENT_KIND_RUN" && document.hidden;
      if (!isNews || !(isOver(event.runStatus) || event.runStatus === "RUN_STATUS_WAITING_FOR_INPUT")) return;
      if (isOver(event.runStatus)) setEnded((before) => new Set(before).add(event.id ?? ""));
      if (isFirstHand && isNotifying()) void notify(event).catch(() => undefined);
    });
  }, [client, conversations, t]);
  useEffect(() => {
    const onVisible = () => {
      if (!document.hidden) setEnded(new Set());
    };
    document.addEventListener("visibilitychange", onVisible);
    return () => document.removeEventListener("visibilitychange", onVisible);
  }, []);
  useTitleCount(waiting.length + ended.size);
  return null;
}

/** Prefixes the document's title with a count, whichever page sets it: `(2) Documents · EchoMind`. */
function useTitleCount(count: number): void {
  useEffect(() => {
    const apply = () => {
      const plain = document.title.replace(/^\(\d+\) /, "");
      const wanted = count > 0 ? `(${count}) ${plain}` : plain;
      if (document.title !== wanted) document.title = wanted;
    };
    apply();
    const observer = new MutationObserver(apply);
    observer.observe(document.head, { childList: true, subtree: true, characterData: true });
    return () => observer.disconnect();
  }, [count]);
}
