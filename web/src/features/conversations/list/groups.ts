/** Groups conversations by the time of their last message. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { ChatSessionJson } from "@/gen/echomind/public/v1/chat_session_pb";

const DAY_MS = 86_400_000;

/** Conversations under a heading. */
export interface SessionGroup {
  key: string;
  label: MessageDescriptor;
  sessions: readonly ChatSessionJson[];
}

const AGES: readonly { key: string; label: MessageDescriptor; days: number }[] = [
  { key: "today", label: msg`Today`, days: 0 },
  { key: "week", label: msg`Last 7 days`, days: 7 },
  { key: "month", label: msg`Last 30 days`, days: 30 },
  { key: "older", label: msg`Older`, days: Infinity },
];

/**
 * Groups sessions in their order: pinned ones, today's by the calendar, those of the last 7 and 30 days, older ones.
 * Empty groups are omitted.
 */
export function groupsOf(sessions: readonly ChatSessionJson[], now: Date = new Date()): readonly SessionGroup[] {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const ageOf = ({ lastMessageAt, creationDate }: ChatSessionJson) => {
    const newest = new Date(lastMessageAt ?? creationDate ?? now).getTime();
    return AGES.find(({ days }) => newest >= midnight - days * DAY_MS)?.key;
  };
  const pinned = { key: "pinned", label: msg`Pinned`, sessions: sessions.filter((session) => session.pinned) };
  const others = sessions.filter((session) => !session.pinned);
  const aged = AGES.map(({ key, label }) => ({ key, label, sessions: others.filter((session) => ageOf(session) === key) }));
  return [pinned, ...aged].filter((group) => group.sessions.length > 0);
}
