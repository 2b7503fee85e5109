import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { useLocation } from "wouter";
import { useSaveAssistant } from "@/data/assistants";
import type { AssistantJson } from "@/gen/echomind/public/v1/assistant_pb";
import { Button } from "@/ui/Button";
import { Form, FormActions } from "@/ui/Form";
import { Notice } from "@/ui/Notice";
import { oneOf, text, useSearchState } from "@/ui/search-state";
import { Spinner } from "@/ui/Spinner";
import { Tabs } from "@/ui/Tabs";
import { showToast } from "@/ui/toasts";
import { UnsavedDialog } from "@/ui/UnsavedDialog";
import { useForm } from "@/ui/use-form";
import { RemoveAssistantDialog } from "../list/RemoveAssistantDialog";
import { TestPane } from "../trial/TestPane";
import { GeneralTab } from "./GeneralTab";
import { LimitsTab } from "./LimitsTab";
import { ServersTab } from "./ServersTab";
import { TeamTab } from "./TeamTab";
import { ToolsTab } from "./ToolsTab";
import { VersionsTab } from "../versions/VersionsTab";
import { linesOf } from "./lines";
import { assistantOfValues, valuesOf } from "./values";
import styles from "./AssistantEditor.module.css";

const TABS = [
  { value: "general", label: msg`General` },
  { value: "tools", label: msg`Tools` },
  { value: "servers", label: msg`MCP servers` },
  { value: "team", label: msg`Team` },
  { value: "limits", label: msg`Limits` },
] as const;
const VERSIONS = { value: "versions", label: msg`Versions` } as const;
const STATE = { tab: oneOf(["general", "tools", "servers", "team", "limits", "versions"], "general"), version: text() };

/** Edits or creates an assistant, beside a pane that tests the unsaved values. */
export function AssistantEditor({ assistant }: { assistant: AssistantJson }) {
  const { t } = useLingui();
  const { id = 0, name = "", isDefault = false } = assistant;
  const [, navigate] = useLocation();
  const [{ tab, version }, setState] = useSearchState(STATE);
  const form = useForm(valuesOf(assistant));
  const { values, set, isDirty } = form;
  const saving = useSaveAssistant();
  const [knownServers, setKnownServers] = useState((assistant.config?.mcpServers ?? []).map((server) => server.name ?? ""));
  const [isRemoving, setRemoving] = useState(false);
  const [opensId, setOpensId] = useState<number>();
  const filled = assistantOfValues(values, assistant);
  const save = () =>
    saving.mutate(id ? { id, ...filled } : filled, {
      onSuccess: (saved) => {
        form.saved(valuesOf(saved));
        showToast({ message: t`${saved.name} is saved.` });
        setOpensId(saved.id);
      },
    });
  if (!id && opensId && !isDirty) navigate(`/assistants/${opensId}`, { replace: true });
  return (
    <div className={styles.editor}>
      <Form onSubmit={save}>
        <Tabs label={t`Parts of the assistant`} tabs={(id ? [...TABS, VERSIONS] : TABS).map(({ value, label }) => ({ value, label: t(label) }))} value={tab} onChange={(value) => setState({ tab: value, version: "" })}>
          {tab === "general" && <GeneralTab values={values} set={set} isDefault={isDefault} />}
          {tab === "tools" && <ToolsTab values={values} set={set} />}
          {tab === "servers" && <ServersTab id={id} values={values} set={set} assistant={filled} known={knownServers} setKnown={setKnownServers} />}
          {tab === "team" && <TeamTab id={id} values={values} set={set} />}
          {tab === "limits" && <LimitsTab values={values} set={set} />}
          {tab === "versions" && id > 0 && (
            <VersionsTab
              id={id}
              open={Number(version)}
              onOpen={(opened) => setState({ version: opened ? String(opened) : "" })}
              isDirty={isDirty}
              onRestored={(restored) => form.saved(valuesOf(restored))}
            />
          )}
        </Tabs>
        <FormActions outcome={saving.error && <Notice tone="danger">{saving.error.message}</Notice>}>
          {id > 0 && !isDefault ? (
            <Button variant="ghost" onClick={() => setRemoving(true)}>
              <Trans>Remove assistant</Trans>
            </Button>
          ) : (
            <span />
          )}
          {isDirty && (
            <Button onClick={form.reset}>
              <Trans>Discard changes</Trans>
            </Button>
          )}
          <Button type="submit" variant="primary" disabled={!isDirty || saving.isPending}>
            {saving.isPending && <Spinner />}
            {id ? <Trans>Save</Trans> : <Trans>Create</Trans>}
          </Button>
        </FormActions>
      </Form>
      <TestPane id={id} assistant={{ ...filled, name: filled.name || t`New assistant` }} starters={linesOf(values.starters)} />
      <UnsavedDialog isDirty={isDirty} />
      {isRemoving && <RemoveAssistantDialog id={id} name={name} onClose={() => setRemoving(false)} onRemoved={() => navigate("/assistants")} />}
    </div>
  );
}
