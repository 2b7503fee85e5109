import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Bot, ChevronDown, Cpu } from "lucide-react";
import type { ReactNode } from "react";
import { llmOf, useAssistants } from "@/data/assistants";
import { llmsQuery } from "@/data/llms";
import { Menu, MenuChoice } from "@/ui/Menu";
import styles from "./Composer.module.css";

interface AssistantPickerProps {
  /** 0 for the usual one of new conversations. */
  assistantId: number;
  onChange: (assistantId: number) => void;
}

/** The assistant that answers, as a chip that opens the others; nothing where there is no other. */
export function AssistantPicker({ assistantId, onChange }: AssistantPickerProps) {
  const { t } = useLingui();
  const { assistants, assistant } = useAssistants(assistantId);
  if (assistants.length < 2) return null;
  return (
    <Picker label={t`Assistant`} icon={<Bot size={14} aria-hidden />} name={assistant?.name ?? t`Choose an assistant`}>
      <MenuChoice
        label={t`Assistant`}
        value={String(assistant?.id ?? 0)}
        options={assistants.map(({ id = 0, name = "" }) => ({ value: String(id), label: name }))}
        onChange={(value) => onChange(Number(value))}
      />
    </Picker>
  );
}

interface ModelPickerProps {
  assistantId: number;
  /** The model that the person or the conversation prefers; 0 for the assistant's. */
  preferred: number;
  /** 0 for that one. */
  llmId: number;
  onChange: (llmId: number) => void;
}

/** The model that answers, as a chip that opens the others; nothing where there is no other. */
export function ModelPicker({ assistantId, preferred, llmId, onChange }: ModelPickerProps) {
  const { t } = useLingui();
  const { data: llms = [] } = useQuery(llmsQuery);
  const { assistant } = useAssistants(assistantId);
  const active = llms.filter(({ isActive }) => isActive);
  if (active.length < 2) return null;
  const usual = llmOf(assistant, active, preferred);
  const chosen = active.find(({ id }) => id === llmId);
  const usualName = usual?.name ?? "";
  const options = [
    { value: "0", label: usual && usual.id === preferred ? t`Preferred model (${usualName})` : usualName ? t`Assistant's model (${usualName})` : t`Assistant's model` },
    ...active.map(({ id = 0, name = "" }) => ({ value: String(id), label: name })),
  ];
  return (
    <Picker label={t`Model`} icon={<Cpu size={14} aria-hidden />} name={chosen?.name ?? usualName} isSet={chosen !== undefined}>
      <MenuChoice label={t`Model`} value={String(chosen?.id ?? 0)} options={options} onChange={(value) => onChange(Number(value))} />
    </Picker>
  );
}

interface PickerProps {
  label: string;
  icon: ReactNode;
  /** The selection. */
  name: string;
  /** Whether it differs from the default. */
  isSet?: boolean;
  children: ReactNode;
}

function Picker({ label, icon, name, isSet = false, children }: PickerProps) {
  return (
    <Menu
      side="top"
      align="start"
      trigger={
        <button type="button" className={styles.toggle} data-set={isSet || undefined} aria-label={`${label}: ${name}`}>
          {icon}
          <span className={styles.chosen}>{name}</span>
          <ChevronDown size={12} aria-hidden />
        </button>
      }
    >
      {children}
    </Menu>
  );
}
