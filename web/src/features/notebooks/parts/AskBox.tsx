import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { ClipboardList, Columns3, FileStack, type LucideIcon, Send, Table } from "lucide-react";
import { useState, type KeyboardEvent, type SyntheticEvent } from "react";
import { Link, useLocation } from "wouter";
import { llmOf, useAssistants } from "@/data/assistants";
import { llmsQuery } from "@/data/llms";
import { useAskInNotebook, useStartTemplate } from "@/data/notebooks";
import { hasRole, useCurrentUser } from "@/data/users";
import type { NotebookTemplateJson } from "@/gen/echomind/public/v1/notebook_pb";
import { Button } from "@/ui/Button";
import { TextArea } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";
import { Notice } from "@/ui/Notice";
import styles from "../notebooks.module.css";

const TEMPLATES: readonly { template: NotebookTemplateJson; label: MessageDescriptor; icon: LucideIcon }[] = [
  { template: "NOTEBOOK_TEMPLATE_SUMMARY", label: msg`Summary and questions`, icon: FileStack },
  { template: "NOTEBOOK_TEMPLATE_BRIEFING", label: msg`Briefing`, icon: ClipboardList },
  { template: "NOTEBOOK_TEMPLATE_COMPARISON", label: msg`Comparison`, icon: Columns3 },
  { template: "NOTEBOOK_TEMPLATE_TABLE", label: msg`Table`, icon: Table },
];

/** The composer of a notebook, with its templates. Each question creates a conversation. */
export function AskBox({ notebookId, hasSources }: { notebookId: string; hasSources: boolean }) {
  const { t } = useLingui();
  const [, navigate] = useLocation();
  const [text, setText] = useState("");
  const [isTableOpen, setTableOpen] = useState(false);
  const question = useAskInNotebook(notebookId);
  const start = useStartTemplate(notebookId);
  const quotesOnly = useQuotesOnly();
  const me = useCurrentUser();
  const language = document.documentElement.lang;
  const isBusy = question.isPending || start.isPending;
  const open = (id: string) => navigate(`/chat/${id}`);
  const ask = (event: SyntheticEvent) => {
    event.preventDefault();
    if (text.trim() && !isBusy) question.mutate(text.trim(), { onSuccess: open });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) ask(event);
  };
  const begin = (template: NotebookTemplateJson) =>
    template === "NOTEBOOK_TEMPLATE_TABLE" ? setTableOpen(true) : start.mutate({ template, language }, { onSuccess: open });
  const error = question.error ?? start.error;
  return (
    <section className={styles.ask} aria-label={t`Ask`}>
      <form onSubmit={ask}>
        <textarea
          rows={2}
          aria-label={t`Question to this notebook`}
          placeholder={t`Ask the sources of this notebook`}
          maxLength={100_000}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <Button type="submit" variant="primary" disabled={isBusy || !text.trim()}>
          <Send size={15} aria-hidden /> <Trans>Ask</Trans>
        </Button>
      </form>
      {hasSources && (
        <div className={styles.templates} role="group" aria-label={t`Start with`}>
          {TEMPLATES.map(({ template, label, icon: Icon }) => (
            <Button key={template} size="sm" disabled={isBusy || quotesOnly} onClick={() => begin(template)}>
              <Icon size={14} aria-hidden /> {t(label)}
            </Button>
          ))}
          {quotesOnly && (
            <p className={styles.empty}>
              <Trans>These need a language model: the built-in one only quotes.</Trans>{" "}
              {hasRole(me, "ROLE_SUPERADMIN") ? (
                <Link href="/admin/models">
                  <Trans>Connect a model</Trans>
                </Link>
              ) : (
                <Trans>Ask an administrator to connect one.</Trans>
              )}
            </p>
          )}
        </div>
      )}
      {error && <Notice tone="danger">{error.message}</Notice>}
      {isTableOpen && <TableDialog notebookId={notebookId} onStarted={open} onClose={() => setTableOpen(false)} />}
    </section>
  );
}

/** Whether the reader's assistant uses the built-in model, which only quotes. */
function useQuotesOnly(): boolean {
  const { data: llms = [] } = useQuery(llmsQuery);
  const { assistant } = useAssistants(0);
  const preferred = useCurrentUser().preferences?.runOptions?.llmId;
  return llmOf(assistant, llms, preferred)?.provider === "LLM_PROVIDER_EXTRACTIVE";
}

function TableDialog({ notebookId, onStarted, onClose }: { notebookId: string; onStarted: (session: string) => void; onClose: () => void }) {
  const { t } = useLingui();
  const [text, setText] = useState("");
  const start = useStartTemplate(notebookId);
  const fields = [...new Set(text.split("\n").map((line) => line.trim()).filter(Boolean))];
  const submit = async () =>
    onStarted(await start.mutateAsync({ template: "NOTEBOOK_TEMPLATE_TABLE", fields, language: document.documentElement.lang }));
  return (
    <FormDialog title={t`Table of the sources`} action={t`Create table`} isReady={fields.length > 0 && fields.length <= 12} onSubmit={submit} onClose={onClose}>
      <TextArea
        label={t`Columns`}
        hint={t`One a line, at most 12. Each is asked of every source.`}
        rows={5}
        placeholder={t`Term\nPrice\nNotice period`}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </FormDialog>
  );
}
