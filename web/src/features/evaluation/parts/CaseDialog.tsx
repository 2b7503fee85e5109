import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { useAddCases, useUpdateCase } from "@/data/evaluation";
import type { EvaluationCaseJson } from "@/gen/echomind/public/v1/evaluation_pb";
import { TextArea } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";

interface CaseDialogProps {
  datasetId: string;
  /** The question to change; without one, a new one is added. */
  question?: EvaluationCaseJson;
  onClose: () => void;
}

/** Adds a question to a dataset, or changes one. */
export function CaseDialog({ datasetId, question: stored, onClose }: CaseDialogProps) {
  const { t } = useLingui();
  const [question, setQuestion] = useState(stored?.question ?? "");
  const [documents, setDocuments] = useState(linesOf(stored?.documents));
  const [passages, setPassages] = useState(linesOf(stored?.passages));
  const [facts, setFacts] = useState(linesOf(stored?.facts));
  const [answer, setAnswer] = useState(stored?.answer ?? "");
  const add = useAddCases(datasetId);
  const update = useUpdateCase();
  const submit = () => {
    const values = { question: question.trim(), documents: itemsOf(documents), passages: itemsOf(passages), facts: itemsOf(facts), answer: answer.trim() };
    return stored?.id ? update.mutateAsync({ id: stored.id, ...values }) : add.mutateAsync([values]);
  };
  return (
    <FormDialog
      title={stored ? t`Edit question` : t`Add a question`}
      action={stored ? t`Save` : t`Add`}
      isReady={question.trim() !== ""}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextArea label={t`Question`} required maxLength={20_000} rows={2} value={question} onChange={(event) => setQuestion(event.target.value)} />
      <TextArea
        label={t`Expected documents (optional)`}
        hint={t`Titles, file names or addresses, one per line.`}
        rows={2}
        value={documents}
        onChange={(event) => setDocuments(event.target.value)}
      />
      <TextArea
        label={t`Expected passages (optional)`}
        hint={t`Words that a passage found must contain, one passage a line.`}
        rows={2}
        value={passages}
        onChange={(event) => setPassages(event.target.value)}
      />
      <TextArea
        label={t`Expected facts (optional)`}
        hint={t`Words that the answer must contain, one fact a line. Wordings are separated by a bar: 30 days | thirty days`}
        rows={2}
        value={facts}
        onChange={(event) => setFacts(event.target.value)}
      />
      <TextArea
        label={t`Right answer (optional)`}
        hint={t`A model that judges compares with it.`}
        maxLength={100_000}
        rows={3}
        value={answer}
        onChange={(event) => setAnswer(event.target.value)}
      />
    </FormDialog>
  );
}

function linesOf(items: readonly string[] = []): string {
  return items.map((item) => item.replaceAll("\n", " ")).join("\n");
}

function itemsOf(lines: string): string[] {
  return lines
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}
