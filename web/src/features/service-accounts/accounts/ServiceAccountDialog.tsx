import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { groupName, groupsQuery } from "@/data/groups";
import { useSaveServiceAccount } from "@/data/service-accounts";
import { hasRole, useCurrentUser } from "@/data/users";
import { ROLES } from "@/features/users/roles";
import type { RoleJson } from "@/gen/echomind/public/v1/common_pb";
import type { ServiceAccountJson } from "@/gen/echomind/public/v1/service_account_pb";
import { CheckField, SelectField, TextArea, TextField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";
import styles from "./ServiceAccountDialog.module.css";

interface ServiceAccountDialogProps {
  account?: ServiceAccountJson;
  onSaved?: (account: ServiceAccountJson) => void;
  onClose: () => void;
}

/** Creates a service account, or changes one. It is given no more than the reader may give. */
export function ServiceAccountDialog({ account, onSaved, onClose }: ServiceAccountDialogProps) {
  const { t } = useLingui();
  const isSuperadmin = hasRole(useCurrentUser(), "ROLE_SUPERADMIN");
  const groups = (useQuery(groupsQuery).data ?? []).filter(({ canManage }) => canManage);
  const [name, setName] = useState(account?.name ?? "");
  const [purpose, setPurpose] = useState(account?.purpose ?? "");
  const [chosenOwner, setOwner] = useState(account?.ownerGroupId);
  const [role, setRole] = useState<RoleJson>(account?.roles?.includes("ROLE_ADMIN") ? "ROLE_ADMIN" : "ROLE_USER");
  const [memberOf, setMemberOf] = useState<readonly string[]>(account?.groups ?? []);
  const save = useSaveServiceAccount();
  const ownerGroupId = chosenOwner ?? groups[0]?.id ?? 0;
  const owner = groups.find(({ id }) => id === ownerGroupId)?.name;
  // Groups that the account has and the reader does not manage stay selectable, so that they can be taken away.
  const names = [...new Set([...groups.map((group) => group.name ?? ""), ...(account?.groups ?? [])])];
  const submit = async () => {
    const given = { name: name.trim(), purpose: purpose.trim(), ownerGroupId, groups: [...new Set([...memberOf, ...(owner ? [owner] : [])])] };
    const isUnchangedRole = account && (account.roles?.includes("ROLE_ADMIN") ?? false) === (role === "ROLE_ADMIN");
    const saved = await save.mutateAsync({ ...(account?.id && { id: account.id }), ...given, ...(!isUnchangedRole && { roles: [role] }) });
    onSaved?.(saved);
  };
  return (
    <FormDialog
      title={account ? t`Edit ${account.name ?? ""}` : t`New service account`}
      action={account ? t`Save` : t`Create`}
      isReady={name.trim() !== "" && ownerGroupId > 0}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField label={t`Name`} required maxLength={255} hint={t`No other account has it. It has no spaces.`} value={name} onChange={(event) => setName(event.target.value)} />
      <TextArea label={t`Purpose (optional)`} hint={t`What the program does, and where it runs.`} maxLength={2000} rows={3} value={purpose} onChange={(event) => setPurpose(event.target.value)} />
      <SelectField
        label={t`Belongs to`}
        hint={t`Admins of this group manage the account.`}
        value={String(ownerGroupId)}
        options={groups.map((group) => ({ value: String(group.id), label: groupName(group) }))}
        onChange={(value) => setOwner(Number(value))}
      />
      {isSuperadmin && (
        <SelectField
          label={t`Role`}
          value={role}
          options={ROLES.filter(({ value }) => value !== "ROLE_SUPERADMIN").map(({ value, label }) => ({ value, label: t(label) }))}
          onChange={(value) => setRole(value as RoleJson)}
        />
      )}
      <fieldset className={styles.groups}>
        <legend>{t`Member of`}</legend>
        {names.map((each) => {
          const group = groups.find((one) => one.name === each);
          return (
            <CheckField
              key={each}
              label={group ? groupName(group) : each}
              checked={each === owner || memberOf.includes(each)}
              disabled={each === owner}
              onChange={(isChecked) => setMemberOf(isChecked ? [...memberOf, each] : memberOf.filter((other) => other !== each))}
            />
          );
        })}
      </fieldset>
    </FormDialog>
  );
}
