/** The source that is open beside a conversation, stored in the URL so that it survives a reload. */
import { useQuery } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { messagesQuery } from "@/data/messages";
import { NEW_SESSION } from "@/features/chat/live/conversations";
import type { CitationJson } from "@/gen/echomind/public/v1/chat_message_pb";
import { text, useSearchState } from "@/ui/search-state";

const CODECS = { src: text() };

interface OpenSource {
  citation: CitationJson | undefined;
  open: (citation: CitationJson) => void;
  close: () => void;
  /** Opens the citation before or after it in the same answer; undefined where there is none. */
  previous: (() => void) | undefined;
  next: (() => void) | undefined;
}

/** The open source, and how to open, close and go through the citations of its answer. */
export function useOpenSource(sessionKey: string): OpenSource {
  const [{ src }, setState] = useSearchState<{ src: string }>(CODECS);
  // A citation of an unfinished answer is not stored yet, so the URL cannot refer to it.
  const [unstored, setUnstored] = useState<{ session: string; citation: CitationJson }>();
  const { data: messages = [] } = useQuery({ ...messagesQuery(sessionKey), enabled: sessionKey !== NEW_SESSION });
  const [messageId, place] = src.split(".");
  const index = Number(place);
  const citations = messages.find(({ id }) => id === messageId)?.citations ?? [];
  const stored = src ? citations[index] : undefined;
  const open = useCallback(
    (citation: CitationJson) => {
      const message = messages.find((one) => one.citations?.includes(citation));
      setUnstored(message ? undefined : { session: sessionKey, citation });
      setState({ src: message ? `${message.id ?? ""}.${message.citations?.indexOf(citation) ?? 0}` : "" }, src ? "replace" : "push");
    },
    [messages, sessionKey, setState, src],
  );
  const close = useCallback(() => {
    setUnstored(undefined);
    setState({ src: "" });
  }, [setState]);
  const to = (there: number) => (stored && citations[there] ? () => setState({ src: `${messageId ?? ""}.${there}` }) : undefined);
  const citation = stored ?? (unstored?.session === sessionKey ? unstored.citation : undefined);
  return { citation, open, close, previous: to(index - 1), next: to(index + 1) };
}
