import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { groupsQuery } from "@/data/groups";
import type { RoleJson } from "@/gen/echomind/public/v1/common_pb";
import { SelectField, TextField } from "@/ui/Field";
import { ROLES } from "../roles";

/** Roles and groups of a person. */
export interface Rights {
  role: RoleJson;
  /** Names with commas between them. */
  groups: string;
}

/** The fields of role and groups; groups that there are are suggested. */
export function RightsFields({ values, onChange }: { values: Rights; onChange: (rights: Rights) => void }) {
  const { t } = useLingui();
  const { data: groups = [] } = useQuery(groupsQuery);
  const id = useId();
  const typed = values.groups.split(",").slice(0, -1).map((name) => name.trim());
  const before = typed.length > 0 ? `${typed.join(", ")}, ` : "";
  return (
    <>
      <SelectField
        label={t`Role`}
        value={values.role}
        options={ROLES.map(({ value, label }) => ({ value, label: t(label) }))}
        hint={t`Admins manage the documents of their groups. Superadmins manage everything.`}
        onChange={(role) => onChange({ role: role as RoleJson, groups: values.groups })}
      />
      <TextField
        label={t`Groups (optional)`}
        hint={t`Separate several with commas. A new name creates a new group.`}
        list={id}
        maxLength={10_000}
        value={values.groups}
        onChange={(event) => onChange({ role: values.role, groups: event.target.value })}
      />
      <datalist id={id}>
        {groups
          .filter(({ name = "" }) => !typed.includes(name))
          .map(({ name = "" }) => (
            <option key={name} value={before + name} />
          ))}
      </datalist>
    </>
  );
}
