import { useLingui } from "@lingui/react/macro";
import { ArrowUpRight } from "lucide-react";
import styles from "./SuggestedQuestions.module.css";

interface SuggestedQuestionsProps {
  questions: readonly string[];
  isDisabled: boolean;
  onAsk: (question: string) => void;
}

/** Questions that an answer or a summary suggests, as buttons that ask them. */
export function SuggestedQuestions({ questions, isDisabled, onAsk }: SuggestedQuestionsProps) {
  const { t } = useLingui();
  return (
    <ul className={styles.questions} aria-label={t`Suggested questions`}>
      {questions.map((question) => (
        <li key={question}>
          <button type="button" className={styles.question} disabled={isDisabled} onClick={() => onAsk(question)}>
            {question}
            <ArrowUpRight size={15} aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  );
}
