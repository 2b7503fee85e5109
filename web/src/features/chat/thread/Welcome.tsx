import { useLingui } from "@lingui/react/macro";
import { ArrowUpRight } from "lucide-react";
import { lazy, Suspense } from "react";
import { useAssistants } from "@/data/assistants";
import { useCurrentUser } from "@/data/users";
import styles from "./Welcome.module.css";

const SetupChecklist = lazy(async () => ({ default: (await import("@/features/setup/SetupChecklist")).SetupChecklist }));

interface WelcomeProps {
  /** 0 means the usual one of new conversations. */
  assistantId: number;
  onAsk: (content: string) => void;
}

/** What a conversation shows before its first question. */
export function Welcome({ assistantId, onAsk }: WelcomeProps) {
  const { t } = useLingui();
  const { assistant } = useAssistants(assistantId);
  const { firstName } = useCurrentUser();
  return (
    <div className={styles.welcome}>
      <h2 className={styles.greeting}>{firstName ? t`What would you like to know, ${firstName}?` : t`What would you like to know?`}</h2>
      <p className={styles.text}>{assistant?.description || t`Answers come from your documents, with their sources.`}</p>
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
      <Suspense>
        <SetupChecklist />
      </Suspense>
    </div>
  );
}
