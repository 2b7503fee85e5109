import { ArrowUpRight } from "lucide-react";
import { useAssistants } from "@/data/assistants";
import { useCurrentUser } from "@/data/users";
import styles from "./Welcome.module.css";

interface WelcomeProps {
  /** 0 means the usual one of new conversations. */
  assistantId: number;
  onAssistantChange: (id: number) => void;
  /** Whether the assistant can still be chosen. */
  isNew: boolean;
  onAsk: (content: string) => void;
}

/** What a conversation shows before its first question. */
export function Welcome({ assistantId, onAssistantChange, isNew, onAsk }: WelcomeProps) {
  const { assistants, assistant } = useAssistants(assistantId);
  const user = useCurrentUser();
  return (
    <div className={styles.welcome}>
      <h2 className={styles.greeting}>{user.firstName ? `What would you like to know, ${user.firstName}?` : "What would you like to know?"}</h2>
      <p className={styles.text}>{assistant?.description || "Answers come from your documents, with their sources."}</p>
      {isNew && assistants.length > 1 && (
        <select
          className={styles.assistant}
          aria-label="Assistant"
          value={assistant?.id ?? 0}
          onChange={(event) => onAssistantChange(Number(event.target.value))}
        >
          {assistants.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
      <ul className={styles.starters}>
        {(assistant?.starterMessages ?? []).map((starter) => (
          <li key={starter}>
            <button type="button" className={styles.starter} onClick={() => onAsk(starter)}>
              {starter}
              <ArrowUpRight size={15} aria-hidden />
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
