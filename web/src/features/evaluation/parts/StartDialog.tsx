import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { assistantsQuery } from "@/data/assistants";
import { useStartEvaluation } from "@/data/evaluation";
import { isFree, llmsQuery } from "@/data/llms";
import type { EvaluationDatasetJson } from "@/gen/echomind/public/v1/evaluation_pb";
import { SelectField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";

/** Starts an evaluation of an assistant with a dataset. */
export function StartDialog({ dataset, onClose }: { dataset: EvaluationDatasetJson; onClose: () => void }) {
  const { t } = useLingui();
  const [, navigate] = useLocation();
  const { data: assistants = [] } = useQuery(assistantsQuery);
  const { data: llms = [] } = useQuery(llmsQuery);
  const [assistant, setAssistant] = useState("0");
  const [judge, setJudge] = useState("0");
  const start = useStartEvaluation();
  const judges = llms.filter((llm) => llm.isActive && llm.provider !== "LLM_PROVIDER_EXTRACTIVE" && !isFree(llm));
  const submit = async () => {
    const { id = "" } = await start.mutateAsync({ datasetId: dataset.id ?? "0", assistantId: Number(assistant), judgeLlmId: Number(judge) });
    navigate(`/evaluations/${id}`);
  };
  return (
    <FormDialog title={t`Evaluate with ${dataset.name ?? ""}`} action={t`Start`} onSubmit={submit} onClose={onClose}>
      <SelectField
        label={t`Assistant`}
        value={assistant}
        options={[{ value: "0", label: t`The one of your new conversations` }, ...assistants.map(({ id = 0, name = "" }) => ({ value: String(id), label: name }))]}
        hint={t`Each question is asked with your rights, behind everybody's own questions, and costs as much as one of yours.`}
        onChange={setAssistant}
      />
      <SelectField
        label={t`Judge`}
        value={judge}
        options={[{ value: "0", label: t`None: measure by rules alone` }, ...judges.map(({ id = 0, name = "" }) => ({ value: String(id), label: name }))]}
        hint={t`A model that compares answers with the right answer and the facts: one more request for each question.`}
        onChange={setJudge}
      />
    </FormDialog>
  );
}
