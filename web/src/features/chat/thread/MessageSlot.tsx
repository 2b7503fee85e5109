import { useEffect, useRef, useState, type ReactNode } from "react";
import type { ChatMessageJson } from "@/gen/echomind/public/v1/chat_message_pb";
import styles from "./Thread.module.css";

/** How far from what is in sight messages are rendered in full. */
const NEARBY = "150% 0px";

interface MessageSlotProps {
  message: ChatMessageJson;
  /** Whether it is one of the last, which are rendered in full from the beginning. */
  isRecent: boolean;
  isLast: boolean;
  children: () => ReactNode;
}

/**
 * A message in its place. Far from what is in sight it is its text alone, in one element that the browser does not lay
 * out: long conversations stay light, while searching in the page and screen readers find every word. Once it has been
 * near, it stays in full with what was opened in it.
 */
export function MessageSlot({ message, isRecent, isLast, children }: MessageSlotProps) {
  const ref = useRef<HTMLLIElement>(null);
  const [wasNear, setNear] = useState(isRecent);
  const isFull = wasNear || isRecent;
  useEffect(() => {
    const element = ref.current;
    if (isFull || !element) return undefined;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) setNear(true);
      },
      { root: element.closest("[role=log]"), rootMargin: NEARBY },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [isFull]);
  return (
    <li
      ref={ref}
      className={styles.message}
      data-question={message.role === "MESSAGE_ROLE_USER" || undefined}
      data-last={isLast || undefined}
      data-far={!isFull || undefined}
    >
      {isFull ? children() : message.content}
    </li>
  );
}
