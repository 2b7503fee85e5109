import { Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { ArrowDown, ArrowUp, Trash2 } from "lucide-react";
import { assistantsQuery, assistantVersionsQuery } from "@/data/assistants";
import type { AssistantMemberJson, TeamModeJson } from "@/gen/echomind/public/v1/assistant_pb";
import { IconButton } from "@/ui/Button";
import { SelectField, TextField } from "@/ui/Field";
import { Notice } from "@/ui/Notice";
import type { TabProps } from "./GeneralTab";
import styles from "./tabs.module.css";

interface VersionFieldProps {
  member: AssistantMemberJson;
  name: string;
  onChange: (version: number) => void;
}

/** The version of a member: the latest, or a pinned one. */
function VersionField({ member: { assistantId = 0, version = 0 }, name, onChange }: VersionFieldProps) {
  const { t } = useLingui();
  const { data } = useInfiniteQuery(assistantVersionsQuery(assistantId));
  const known = data?.pages.flatMap(({ versions = [] }) => versions.map((one) => one.version ?? 0)) ?? [];
  const all = known.includes(version) || version === 0 ? known : [version, ...known];
  return (
    <SelectField
      label={t`Version`}
      aria-label={t`Version of ${name}`}
      value={String(version)}
      options={[{ value: "0", label: t`Latest` }, ...all.map((one) => ({ value: String(one), label: String(one) }))]}
      onChange={(chosen) => onChange(Number(chosen))}
    />
  );
}

/** The members of the team that an assistant leads, and how it works with them. */
export function TeamTab({ id, values, set }: TabProps & { id: number }) {
  const { t } = useLingui();
  const { data: assistants = [] } = useQuery(assistantsQuery);
  const { members, teamMode } = values;
  const nameOf = (member: AssistantMemberJson) => assistants.find((one) => one.id === member.assistantId)?.name ?? member.name ?? "";
  const others = assistants.filter((one) => one.id !== id && !members.some(({ assistantId }) => assistantId === one.id));
  const move = (from: number, to: number) => {
    const moved = members.filter((_, index) => index !== from);
    set({ members: [...moved.slice(0, to), ...members.slice(from, from + 1), ...moved.slice(to)] });
  };
  return (
    <div className={styles.fields}>
      <p className={styles.about}>
        <Trans>With members, the assistant leads a team: it gives them tasks, and each works with its own instructions, model and tools.</Trans>
      </p>
      <SelectField
        label={t`How the team works`}
        value={teamMode === "TEAM_MODE_UNSPECIFIED" ? "TEAM_MODE_COORDINATE" : teamMode}
        options={[
          { value: "TEAM_MODE_COORDINATE", label: t`Coordinate: assigns tasks to members and writes the answer` },
          { value: "TEAM_MODE_ROUTE", label: t`Route: passes the question to one member, which answers it` },
          { value: "TEAM_MODE_COLLABORATE", label: t`Collaborate: assigns each task to all members and writes the answer` },
        ]}
        onChange={(mode) => set({ teamMode: mode as TeamModeJson })}
      />
      {members.length > 0 && (
        <ol className={styles.tools} aria-label={t`Members of the team`}>
          {members.map((member, index) => (
            <li key={member.assistantId} className={styles.member}>
              <TextField
                label={nameOf(member)}
                maxLength={2000}
                placeholder={t`What this member does, such as “Finds facts in our documents”`}
                value={member.role ?? ""}
                onChange={({ target }) => set({ members: members.with(index, { ...member, role: target.value }) })}
              />
              <VersionField member={member} onChange={(version) => set({ members: members.with(index, { ...member, version }) })} name={nameOf(member)} />
              <span className={styles.memberButtons}>
                <IconButton label={t`Move ${nameOf(member)} up`} disabled={index === 0} onClick={() => move(index, index - 1)}>
                  <ArrowUp size={16} />
                </IconButton>
                <IconButton label={t`Move ${nameOf(member)} down`} disabled={index === members.length - 1} onClick={() => move(index, index + 1)}>
                  <ArrowDown size={16} />
                </IconButton>
                <IconButton label={t`Remove ${nameOf(member)} from the team`} onClick={() => set({ members: members.toSpliced(index, 1) })}>
                  <Trash2 size={16} />
                </IconButton>
              </span>
            </li>
          ))}
        </ol>
      )}
      <SelectField
        label={t`Add a member`}
        value="0"
        options={[{ value: "0", label: t`Choose an assistant` }, ...others.map(({ id: one = 0, name = "" }) => ({ value: String(one), label: name }))]}
        onChange={(chosen) => Number(chosen) > 0 && set({ members: [...members, { assistantId: Number(chosen), role: "" }] })}
      />
      {members.length > 0 && (
        <Notice tone="info">
          <Trans>A team takes several times the tokens of one assistant, as each member reads for itself. The limits hold for all together.</Trans>
        </Notice>
      )}
    </div>
  );
}
