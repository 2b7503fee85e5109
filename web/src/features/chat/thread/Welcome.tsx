import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { ArrowUpRight } from "lucide-react";
import { lazy, Suspense } from "react";
import { useAssistants } from "@/data/assistants";
import { useCurrentUser } from "@/data/users";
import styles from "./Welcome.module.css";

const SetupChecklist = lazy(async () => ({ default: (await import("@/features/setup/SetupChecklist")).SetupChecklist }));

/** The default greeting of a new installation's assistant, translated. */
const SEEDED: Readonly<Record<string, MessageDescriptor>> = {
  "Answers from your documents, with sources.": msg`Answers from your documents, with sources.`,
  "How do I add my documents?": msg`How do I add my documents?`,
  "Which kinds of files can I add?": msg`Which kinds of files can I add?`,
  "How do I connect a language model?": msg`How do I connect a language model?`,
};

interface WelcomeProps {
  /** 0 means the usual one of new conversations. */
  assistantId: number;
  onAsk: (content: string) => void;
}

/** The conversation before its first question. */
export function Welcome({ assistantId, onAsk }: WelcomeProps) {
  const { t } = useLingui();
  const { assistant } = useAssistants(assistantId);
  const { firstName } = useCurrentUser();
  const translated = (written: string) => (SEEDED[written] ? t(SEEDED[written]) : written);
  return (
    <div className={styles.welcome}>
      <h2 className={styles.greeting}>{firstName ? t`What would you like to know, ${firstName}?` : t`What would you like to know?`}</h2>
      <p className={styles.text}>{assistant?.description ? translated(assistant.description) : t`Answers come from your documents, with their sources.`}</p>
      <ul className={styles.starters}>
        {(assistant?.starterMessages ?? []).map((starter) => (
          <li key={starter}>
            {/* As it was written: the guide, which answers the seeded ones, is in English. */}
            <button type="button" className={styles.starter} onClick={() => onAsk(starter)}>
              {translated(starter)}
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
