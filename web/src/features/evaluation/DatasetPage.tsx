import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Download, Pencil, Play, Plus, Trash2, Upload } from "lucide-react";
import { useRef, useState } from "react";
import { useLocation } from "wouter";
import { casesQuery, datasetQuery, evaluationsQuery, useAddCases, useDeleteCase, useDeleteDataset } from "@/data/evaluation";
import type { EvaluationCaseJson, EvaluationDatasetJson } from "@/gen/echomind/public/v1/evaluation_pb";
import { ActionsMenu } from "@/ui/ActionsMenu";
import { Button, IconButton } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { MenuItem } from "@/ui/Menu";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import { Row, Rows } from "@/ui/Rows";
import { showFailure, showToast } from "@/ui/toasts";
import { CaseDialog } from "./parts/CaseDialog";
import { DatasetDialog } from "./parts/DatasetDialog";
import { EvaluationRows } from "./parts/EvaluationRows";
import { readJsonLines, writeJsonLines, type BadLine } from "./parts/json-lines";
import { StartDialog } from "./parts/StartDialog";
import styles from "./evaluation.module.css";

/** A dataset with its questions, and the user's evaluations with it. */
export function DatasetPage({ id }: { id: string }) {
  const { t } = useLingui();
  const dataset = useQuery(datasetQuery(id));
  const cases = useQuery(casesQuery(id));
  const evaluations = useQuery(evaluationsQuery(id));
  const error = dataset.error ?? cases.error;
  const { name = "", description = "", isEditable = false } = dataset.data ?? {};
  return (
    <Page
      title={name || t`Dataset`}
      section={t`Evaluations`}
      parents={[{ href: "/evaluations", label: t`Evaluations` }]}
      description={description}
      actions={dataset.data && cases.data && <DatasetActions dataset={dataset.data} cases={cases.data} />}
    >
      <QueryView error={error} onRetry={() => Promise.all([dataset.refetch(), cases.refetch()])} isPending={dataset.isPending || cases.isPending} label={t`Loading`} />
      {evaluations.data && evaluations.data.length > 0 && (
        <>
          <h2 className={styles.heading}>{t`Your evaluations`}</h2>
          <EvaluationRows evaluations={evaluations.data} whenEmpty="" />
        </>
      )}
      {dataset.data && cases.data && (
        <>
          <h2 className={styles.heading}>{t`Questions`}</h2>
          <Rows label={t`Questions`} whenEmpty={t`There is no question yet. Add one, or import a file of JSON lines.`}>
            {cases.data.map((one) => (
              <CaseRow key={one.id} datasetId={id} question={one} isEditable={isEditable} />
            ))}
          </Rows>
        </>
      )}
    </Page>
  );
}

function DatasetActions({ dataset, cases }: { dataset: EvaluationDatasetJson; cases: readonly EvaluationCaseJson[] }) {
  const { t } = useLingui();
  const { id = "0", name = "", isEditable = false } = dataset;
  const [, navigate] = useLocation();
  const input = useRef<HTMLInputElement>(null);
  const [dialog, setDialog] = useState<"start" | "add" | "edit" | "delete">();
  const add = useAddCases(id);
  const remove = useDeleteDataset();
  const close = () => setDialog(undefined);
  const problem = ({ line, problem: kind, field = "" }: BadLine) => {
    if (kind === "json") return t`Line ${line} is not JSON.`;
    return kind === "question" ? t`Line ${line} needs the field question.` : t`Line ${line}: the field ${field} is unknown or has a wrong value.`;
  };
  const load = async (file: File) => {
    const read = readJsonLines(await file.text());
    if ("bad" in read) {
      showFailure(new Error(problem(read.bad)));
      return;
    }
    add.mutate(read.cases, {
      onError: showFailure,
      onSuccess: (count) => showToast({ message: plural(count, { one: "Added # question.", other: "Added # questions." }) }),
    });
  };
  return (
    <div className={styles.actions}>
      <Button variant="primary" disabled={cases.length === 0} onClick={() => setDialog("start")}>
        <Play size={16} /> <Trans>Evaluate</Trans>
      </Button>
      {isEditable && (
        <Button onClick={() => setDialog("add")}>
          <Plus size={16} /> <Trans>Add a question</Trans>
        </Button>
      )}
      <ActionsMenu label={t`Actions for ${name}`} size={18}>
        {isEditable && (
          <MenuItem icon={<Pencil size={15} />} onSelect={() => setDialog("edit")}>
            <Trans>Edit</Trans>
          </MenuItem>
        )}
        {isEditable && (
          <MenuItem icon={<Upload size={15} />} isDisabled={add.isPending} onSelect={() => input.current?.click()}>
            <Trans>Import JSON lines</Trans>
          </MenuItem>
        )}
        <MenuItem icon={<Download size={15} />} isDisabled={cases.length === 0} onSelect={() => save(`${name}.jsonl`, writeJsonLines(cases))}>
          <Trans>Export JSON lines</Trans>
        </MenuItem>
        {isEditable && (
          <MenuItem icon={<Trash2 size={15} />} isDangerous onSelect={() => setDialog("delete")}>
            <Trans>Delete</Trans>
          </MenuItem>
        )}
      </ActionsMenu>
      <input
        ref={input}
        type="file"
        accept=".jsonl,.json,application/jsonl"
        hidden
        aria-label={t`File of questions`}
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          if (file) void load(file);
          event.target.value = "";
        }}
      />
      {dialog === "start" && <StartDialog dataset={dataset} onClose={close} />}
      {dialog === "add" && <CaseDialog datasetId={id} onClose={close} />}
      {dialog === "edit" && <DatasetDialog dataset={dataset} onClose={close} />}
      {dialog === "delete" && (
        <ConfirmDialog
          title={t`Delete ${name}?`}
          text={t`Its questions and everybody's evaluations with it are deleted permanently.`}
          action={t`Delete`}
          onConfirm={async () => {
            await remove.mutateAsync(id);
            navigate("/evaluations");
          }}
          onClose={close}
        />
      )}
    </div>
  );
}

function CaseRow({ datasetId, question: one, isEditable }: { datasetId: string; question: EvaluationCaseJson; isEditable: boolean }) {
  const { t } = useLingui();
  const { id = "", question = "", documents = [], passages = [], facts = [], answer = "" } = one;
  const [isEditing, setEditing] = useState(false);
  const remove = useDeleteCase();
  return (
    <Row
      name={question}
      isSentence
      facts={[
        documents.length > 0 && t`Documents: ${documents.join(", ")}`,
        passages.length > 0 && plural(passages.length, { one: "# passage", other: "# passages" }),
        facts.length > 0 && t`Facts: ${facts.join(", ")}`,
        answer !== "" && t`Right answer: ${answer.length > 80 ? `${answer.slice(0, 80)}…` : answer}`,
        documents.length + passages.length + facts.length === 0 && !answer && t`Nothing is expected yet: only cost, time and citations are measured.`,
      ]}
      actions={
        isEditable && (
          <>
            <IconButton label={t`Edit: ${question}`} onClick={() => setEditing(true)}>
              <Pencil size={16} />
            </IconButton>
            <IconButton label={t`Delete: ${question}`} disabled={remove.isPending} onClick={() => remove.mutate(id, { onError: showFailure })}>
              <Trash2 size={16} />
            </IconButton>
          </>
        )
      }
    >
      {isEditing && <CaseDialog datasetId={datasetId} question={one} onClose={() => setEditing(false)} />}
    </Row>
  );
}

function save(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "application/jsonl;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
