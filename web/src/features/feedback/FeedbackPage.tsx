import { useLingui } from "@lingui/react/macro";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { assistantsQuery } from "@/data/assistants";
import { feedbackQuery } from "@/data/feedback";
import { llmsQuery } from "@/data/llms";
import { CheckField, SelectField } from "@/ui/Field";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import { flag, oneOf, text, useSearchState } from "@/ui/search-state";
import { ShowMore } from "@/ui/ShowMore";
import { FeedbackItem } from "./FeedbackItem";
import { FeedbackRates, RATED } from "./FeedbackRates";
import styles from "./FeedbackPage.module.css";

const STATE = { value: oneOf(["all", "helpful", "not-helpful"], "all"), assistant: text(), model: text(), reason: flag(), about: oneOf(["all", "answers", "sources"], "all"), by: oneOf(RATED, "assistants") };
const SUBJECTS = { all: "FEEDBACK_SUBJECT_UNSPECIFIED", answers: "FEEDBACK_SUBJECT_ANSWER", sources: "FEEDBACK_SUBJECT_PASSAGE" } as const;

/** Feedback of people on answers. */
export function FeedbackPage() {
  const { t } = useLingui();
  const [{ value, assistant, model, reason, about, by }, setState] = useSearchState(STATE);
  const { data: assistants = [] } = useQuery(assistantsQuery);
  const { data: llms = [] } = useQuery(llmsQuery);
  const isPositive = value === "all" ? undefined : value === "helpful";
  const feedback = useInfiniteQuery(
    feedbackQuery({ isPositive, withText: reason, assistantId: Number(assistant) || 0, llmId: Number(model) || 0, subject: SUBJECTS[about] }),
  );
  const items = feedback.data?.pages.flatMap((page) => page.feedback ?? []);
  const isFiltered = value !== "all" || assistant !== "" || model !== "" || reason || about !== "all";
  const choices = (all: string, named: readonly { id?: number; name?: string }[]) => [
    { value: "", label: all },
    ...named.map(({ id, name = "" }) => ({ value: String(id), label: name })),
  ];
  return (
    <Page
      title={t`Feedback`}
      section={t`Administration`}
      description={t`Feedback on answers and their sources, newest first. Viewing it is recorded in the audit log.`}
    >
      <FeedbackRates by={by} onChange={(next) => setState({ by: next })} />
      <div className={styles.filters} role="search" aria-label={t`Filters`}>
        <SelectField
          label={t`Rating`}
          value={value}
          options={[
            { value: "all", label: t`All` },
            { value: "helpful", label: t`Helpful` },
            { value: "not-helpful", label: t`Not helpful` },
          ]}
          onChange={(next) => setState({ value: next as typeof value })}
        />
        <SelectField
          label={t({ message: `About`, context: "feedback" })}
          value={about}
          options={[
            { value: "all", label: t`All` },
            { value: "answers", label: t`Answers` },
            { value: "sources", label: t`Sources` },
          ]}
          onChange={(next) => setState({ about: next as typeof about })}
        />
        <SelectField label={t`Assistant`} value={assistant} options={choices(t`All assistants`, assistants)} onChange={(next) => setState({ assistant: next })} />
        <SelectField label={t`Model`} value={model} options={choices(t`All models`, llms)} onChange={(next) => setState({ model: next })} />
        <CheckField label={t`With a reason only`} checked={reason} onChange={(next) => setState({ reason: next })} />
      </div>
      <QueryView error={feedback.error} onRetry={feedback.refetch} isPending={feedback.isPending} label={t`Loading feedback`} />
      {items?.length === 0 && <p className={styles.empty}>{isFiltered ? t`No feedback matches.` : t`No answers have been rated yet.`}</p>}
      {items && items.length > 0 && (
        <ul className={styles.list} aria-label={t`Feedback`}>
          {items.map((item) => (
            <FeedbackItem key={`${item.messageId} ${item.userId} ${item.chunkId ?? ""}`} item={item} />
          ))}
        </ul>
      )}
      <ShowMore of={feedback} />
    </Page>
  );
}
