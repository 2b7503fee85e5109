import { useLingui } from "@lingui/react/macro";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { assistantsQuery, assistantVersionsQuery } from "@/data/assistants";
import { useStartEvaluation } from "@/data/evaluation";
import { isFree, llmsQuery } from "@/data/llms";
import { hasRole, useCurrentUser } from "@/data/users";
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
  const [version, setVersion] = useState("0");
  const [judge, setJudge] = useState("0");
  const isOlderAllowed = hasRole(useCurrentUser(), "ROLE_SUPERADMIN") && assistant !== "0";
  const { data: listed } = useInfiniteQuery({ ...assistantVersionsQuery(Number(assistant)), enabled: isOlderAllowed });
  const versions = listed?.pages.flatMap((page) => page.versions ?? []) ?? [];
  const start = useStartEvaluation();
  const judges = llms.filter((llm) => llm.isActive && llm.provider !== "LLM_PROVIDER_EXTRACTIVE" && !isFree(llm));
  const submit = async () => {
    const { id = "" } = await start.mutateAsync({ datasetId: dataset.id ?? "0", assistantId: Number(assistant), assistantVersion: Number(version), judgeLlmId: Number(judge) });
    navigate(`/evaluations/${id}`);
  };
  return (
    <FormDialog title={t`Evaluate with ${dataset.name ?? ""}`} action={t`Start`} onSubmit={submit} onClose={onClose}>
      <SelectField
        label={t`Assistant`}
        value={assistant}
        options={[{ value: "0", label: t`The one of your new conversations` }, ...assistants.map(({ id = 0, name = "" }) => ({ value: String(id), label: name }))]}
        hint={t`Each question is asked with your rights, behind everybody's own questions, and costs as much as one of yours.`}
        onChange={(value) => {
          setAssistant(value);
          setVersion("0");
        }}
      />
      {isOlderAllowed && versions.length > 1 && (
        <SelectField
          label={t`Version`}
          value={version}
          options={[{ value: "0", label: t`The newest one` }, ...versions.slice(1).map(({ version: number = 0 }) => ({ value: String(number), label: `v${number}` }))]}
          hint={t`With its instructions, model, tools and limits. Of an assistant that leads a team, restore the version first.`}
          onChange={setVersion}
        />
      )}
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
